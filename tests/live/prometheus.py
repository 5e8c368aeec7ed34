"""A strict reader of the Prometheus text format 0.0.4: what a file may not be raises ValueError."""

import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
TYPES = {"counter", "gauge", "histogram"}


class Families:
    def __init__(self, text):
        self.types, self.samples = {}, {}  # samples: (name, labels as a sorted tuple) -> value
        if not text.endswith("\n"):
            raise ValueError("the last line has no end")
        self._family, self._help = None, None
        for number, line in enumerate(text[:-1].split("\n"), 1):
            try:
                self._line(line)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}: {line!r}") from None
        if self._help is not None:
            raise ValueError("the last family has a HELP and no TYPE")
        self._check_families()

    def _line(self, line):
        if line.startswith("# HELP "):
            name, text = line[7:].split(" ", 1)
            if self._help is not None or name in self.types or not text:
                raise ValueError("a HELP too much")
            self._help = name
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            if name != self._help or kind not in TYPES:
                raise ValueError("a TYPE that does not follow its HELP")
            self._family, self._help = name, None
            self.types[name] = kind
        else:
            self._sample(line)

    def _sample(self, line):
        name = NAME.match(line)
        if self._help is not None or not name:
            raise ValueError("no sample")
        name, rest, labels = name.group(), line[name.end():], {}
        if rest.startswith("{"):
            rest = rest[1:]
            while not rest.startswith("}"):
                label = LABEL.match(rest)
                if not label or label.group(1) in labels:
                    raise ValueError("bad labels")
                value = re.sub(r'\\(["\\n])', lambda one: "\n" if one.group(1) == "n" else one.group(1), label.group(2))
                labels[label.group(1)] = value
                rest = rest[label.end():]
                if rest.startswith(","):
                    rest = rest[1:]
                elif not rest.startswith("}"):
                    raise ValueError("bad labels")
            rest = rest[1:]
        if not re.fullmatch(r" -?[0-9][0-9.e+-]*", rest):
            raise ValueError("no number")
        base = re.sub(r"_(bucket|sum|count)$", "", name) if self.types.get(self._family) == "histogram" else name
        if base != self._family:
            raise ValueError("a sample outside of its family")
        key = (name, tuple(sorted(labels.items())))
        if key in self.samples:
            raise ValueError("a series that is there twice")
        self.samples[key] = float(rest)

    def _check_families(self):
        for family, kind in self.types.items():
            if (kind == "counter") != family.endswith("_total"):
                raise ValueError(f"{family}: a {kind} of this name")
            if not any(name == family or kind == "histogram" and name.startswith(family + "_") for name, _ in self.samples):
                raise ValueError(f"{family}: no sample")
            if kind == "histogram":
                self._check_histogram(family)

    def _check_histogram(self, family):
        buckets = {}
        for (name, labels), value in self.samples.items():
            if name == family + "_bucket":
                others = tuple(one for one in labels if one[0] != "le")
                buckets.setdefault(others, []).append((float(dict(labels)["le"]), value))
        if not buckets:
            raise ValueError(f"{family}: no buckets")
        for labels, steps in buckets.items():
            if steps != sorted(steps) or [count for _, count in steps] != sorted(count for _, count in steps):
                raise ValueError(f"{family}: buckets that fall")
            if steps[-1][0] != float("inf") or steps[-1][1] != self.samples[(family + "_count", labels)]:
                raise ValueError(f"{family}: a count that is not that of the last bucket")
            if (family + "_sum", labels) not in self.samples:
                raise ValueError(f"{family}: no sum")

    def get(self, name, **labels):
        """The values of the series of this name that have these labels."""
        return [value for (one, its), value in self.samples.items() if one == name and labels.items() <= dict(its).items()]

    def labels(self, name):
        return [dict(its) for one, its in self.samples if one == name]
