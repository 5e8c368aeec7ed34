"""What the tests of the SDK share: a recording in a fresh folder, programs in processes of their own, and the schema."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import fournex

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE_ROOT = REPOSITORY / "python"
SCHEMA = json.loads((REPOSITORY / "data/schemas/run_event_v0.json").read_text())

needs_torch = unittest.skipIf(importlib.util.find_spec("torch") is None, "PyTorch is not installed: apt-get install python3-torch")


# -- the schema, checked with the few keywords that data/schemas/run_event_v0.json uses -----------------------------------

_TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "null": lambda value: value is None,
}
_WORDS = {"$schema", "$id", "$defs", "title", "description"}


def violations(value: Any, schema: Any = SCHEMA, at: str = "", root: Any = None) -> List[str]:
    """What of `value` the schema forbids; empty when nothing. `root`: the schema whose definitions it refers to, itself by default."""
    found: List[str] = []
    for keyword, rule in schema.items():
        if keyword not in _WORDS:
            found += _check(keyword, rule, schema, value, at, schema if root is None else root)
    return found


def _check(keyword: str, rule: Any, schema: Any, value: Any, at: str, root: Any) -> List[str]:
    def unless(good: bool, words: str) -> List[str]:
        return [] if good else [f"{at}: {words}, found {value!r}"]

    if keyword == "type":
        kinds = rule if isinstance(rule, list) else [rule]
        return unless(any(_TYPES[kind](value) for kind in kinds), f"expected {kinds}")
    if keyword == "const":
        return unless(value == rule, f"expected {rule!r}")
    if keyword == "enum":
        return unless(value in rule, f"expected one of {rule}")
    if keyword == "pattern":
        return unless(not isinstance(value, str) or re.search(rule, value) is not None, f"expected {rule}")
    if keyword == "minLength":
        return unless(not isinstance(value, str) or len(value) >= rule, f"expected {rule} characters")
    if keyword in ("minimum", "maximum"):
        is_number = _TYPES["number"](value)
        return unless(not is_number or (value >= rule if keyword == "minimum" else value <= rule), f"{keyword} {rule}")
    if keyword == "required":
        return [f"{at}: {name} is missing" for name in rule if isinstance(value, dict) and name not in value]
    if keyword == "$ref":
        return violations(value, root["$defs"][rule.rsplit("/", 1)[1]], at, root)
    if keyword in ("oneOf", "anyOf"):
        return _check_forms(keyword, rule, value, at, root)
    if keyword == "items":
        return [one for i, item in enumerate(value if isinstance(value, list) else []) for one in violations(item, rule, f"{at}/{i}", root)]
    if keyword == "properties":
        members = value if isinstance(value, dict) else {}
        return [one for name, inner in rule.items() if name in members for one in violations(members[name], inner, f"{at}/{name}", root)]
    if keyword == "additionalProperties":
        more = [name for name in value if name not in schema.get("properties", {})] if isinstance(value, dict) else []
        if rule is False:
            return [f"{at}: {name} is not part of the model" for name in more]
        return [one for name in more for one in violations(value[name], rule, f"{at}/{name}", root)]
    raise AssertionError(f"the checker does not know {keyword}")


def _check_forms(keyword: str, forms: List[Any], value: Any, at: str, root: Any) -> List[str]:
    # Events: only the form of their type can fit, and only its complaints help.
    kind = value.get("event_type") if isinstance(value, dict) else None
    own = [form for form in forms if kind is not None and form.get("properties", {}).get("event_type", {}).get("const") == kind]
    if own:
        return violations(value, own[0], at, root)
    fitting = sum(not violations(value, form, at, root) for form in forms)
    return [] if fitting == 1 or (keyword == "anyOf" and fitting) else [f"{at}: {fitting} of {len(forms)} forms fit {value!r}"]


# -- traces -------------------------------------------------------------------------------------------------------------


def events_in(path: Any) -> List[Dict[str, Any]]:
    """The events of a trace, each of which must follow the schema; the file must end in a line end."""
    text = Path(path).read_text(encoding="ascii")
    assert text.endswith("\n"), f"{path} ends in the middle of a line"
    events = [json.loads(line, parse_constant=_no_constant) for line in text.splitlines()]
    for number, event in enumerate(events, 1):
        bad = violations(event)
        assert not bad, f"{path}:{number}: {'; '.join(bad)}"
    ids = [event["event_id"] for event in events]
    assert len(set(ids)) == len(ids), "an event_id stands twice"
    return events


def _no_constant(word: str) -> Any:
    raise AssertionError(f"{word} is no JSON")


def of_type(events: List[Dict[str, Any]], event_type: str, **payload: Any) -> List[Dict[str, Any]]:
    """Events of a type whose payload has these values."""
    return [
        event
        for event in events
        if event["event_type"] == event_type and all(event["payload"].get(key) == value for key, value in payload.items())
    ]


class SdkTest(unittest.TestCase):
    """A test with a folder of its own; recording is off before and after it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="frx-sdk-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.trace = self.folder / "raw" / "trace.jsonl"
        fournex.shutdown()
        fournex.configure_sampled_profiler(enabled=False)
        self.addCleanup(fournex.shutdown)

    def start(self, **keywords: Any) -> Dict[str, Any]:
        """Begins to record into `self.trace`."""
        keywords = {"raw_trace_path": str(self.trace), "output_dir": str(self.folder), "stream_trace": True, **keywords}
        return fournex.init(**keywords)

    def recorded(self) -> List[Dict[str, Any]]:
        """Ends the recording and reads it."""
        fournex.shutdown()
        return events_in(self.trace)


@contextlib.contextmanager
def environment(**variables: Optional[str]) -> Iterator[None]:
    """The environment with `variables`; None takes one away."""
    before = dict(os.environ)
    for name, value in variables.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def clean_environment(**variables: str) -> Dict[str, str]:
    """The environment of a workload: nothing of FRX_* or of a launcher but what is given."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("FRX_", "SLURM_", "OMPI_"))}
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE"):
        ours.pop(name, None)
    return {**ours, "PYTHONPATH": str(PACKAGE_ROOT), **variables}


def collected(trace: Path, **variables: str) -> Dict[str, str]:
    """The environment as `frx collect` makes it for a workload that writes to `trace`."""
    return clean_environment(
        FRX_AUTO_PERSIST="1",
        FRX_RUN_ID="run-0123456789ab",
        FRX_JOB_NAME="a-job",
        FRX_OUTPUT_DIR=str(trace.parent.parent),
        FRX_RAW_TRACE_PATH=str(trace),
        FRX_SAMPLE_INTERVAL_MS="1000",
        **variables,
    )


def popen(program: str, env: Dict[str, str], folder: Path, **keywords: Any) -> "subprocess.Popen[str]":
    """`program` (Python source) running in `folder`."""
    source = folder / "program.py"
    source.write_text(textwrap.dedent(program))
    return subprocess.Popen([sys.executable, str(source)], env=env, cwd=folder, text=True, **keywords)


def run(program: str, env: Dict[str, str], folder: Path, expect: int = 0) -> "subprocess.CompletedProcess[str]":
    """Runs `program` (Python source) to its end and checks its exit code."""
    process = popen(program, env, folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=100)
    assert process.returncode == expect, f"exit code {process.returncode}\n{out}\n{err}"
    return subprocess.CompletedProcess(program, process.returncode, out, err)
