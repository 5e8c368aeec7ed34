"""JSON files as typed records: what a file may contain, and errors that name the place where it contains something else.

A record keeps everything that it was read from: members that this version does not know (`extra`), their order, and whether an
optional one was absent or null. So what is read and written again is the same JSON.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import os
import re
import tempfile
from typing import Any, Dict, List, Optional, Tuple, Type, TypeVar, Union, get_args, get_origin, get_type_hints

Number = Union[int, float]
R = TypeVar("R", bound="Record")

NEW_IN_1_1 = {"since": "1.1"}  # metadata of fields that schema 1.0 does not have; written only where they have a value
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")
_VERSION = re.compile(r"1\.\d+")
_WORDS = {str: "text", int: "an integer", float: "a number", bool: "true or false", type(None): "null"}


class FormatError(ValueError):
    """A file is not what its schema says: ``profile.json: $.operators[3].kernels[0].duration_ns: expected an integer, found "4"``."""


def member(at: str, name: str) -> str:
    """The JSON path of member `name` of the object at `at`."""
    return f"{at}.{name}" if _PLAIN_NAME.fullmatch(name) else f"{at}[{json.dumps(name)}]"


def _complain(at: str, expected: str, found: Any) -> FormatError:
    shown = json.dumps(found, default=str)
    return FormatError(f"{at}: expected {expected}, found {shown if len(shown) <= 60 else shown[:57] + '...'}")


def _read_scalar(kind: Any, value: Any) -> bool:
    """Whether `value` is of the scalar type `kind`; every integer is a number, no boolean is one."""
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)


def _read_union(kinds: Tuple[Any, ...], value: Any, at: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    others = [kind for kind in kinds if kind is not type(None)]
    if len(others) == 1:
        return _read(others[0], value, at)
    if any(_read_scalar(kind, value) for kind in others):
        return value
    raise _complain(at, " or ".join(_WORDS[kind] for kind in others), value)


def _read(kind: Any, value: Any, at: str) -> Any:
    """`value` as `kind`, a type of the module typing or a Record. Raises FormatError."""
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin is Union:
        return _read_union(get_args(kind), value, at)
    if origin is list:
        if not isinstance(value, list):
            raise _complain(at, "a list", value)
        return [_read(get_args(kind)[0], item, f"{at}[{index}]") for index, item in enumerate(value)]
    if origin is dict:
        if not isinstance(value, dict):
            raise _complain(at, "an object", value)
        return {name: _read(get_args(kind)[1], item, member(at, name)) for name, item in value.items()}
    if issubclass(kind, Record):
        return kind.from_dict(value, at)
    if not _read_scalar(kind, value):
        raise _complain(at, _WORDS[kind], value)
    return value


def _plain(value: Any) -> Any:
    """`value` as JSON has it."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return {name: _plain(item) for name, item in value.items()} if isinstance(value, dict) else value


@functools.lru_cache(maxsize=None)
def _types_of(cls: type) -> Dict[str, Any]:
    return get_type_hints(cls)


def _default_of(field: Any) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _is_required(field: Any) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


class Record:
    """The base of dataclasses that are objects of a JSON file. `extra`: members that the class does not declare, as JSON."""

    extra: Dict[str, Any]
    _names: Optional[List[str]]  # the members of the object that it was read from, in their order

    def __post_init__(self) -> None:
        self.extra = {}
        self._names = None

    @classmethod
    def from_dict(cls: Type[R], value: Any, at: str = "$") -> R:
        """Reads an object of a JSON file. `at`: its JSON path, for errors. Raises FormatError."""
        if not isinstance(value, dict):
            raise _complain(at, "an object", value)
        fields = {field.name: field for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        for name, field in fields.items():
            if _is_required(field) and name not in value:
                raise FormatError(f"{member(at, name)} is missing")
        types = _types_of(cls)
        record = cls(**{name: _read(types[name], value[name], member(at, name)) for name in fields if name in value})
        record.extra = {name: item for name, item in value.items() if name not in fields}
        record._names = list(value)
        return record

    def to_dict(self) -> Dict[str, Any]:
        """The record as JSON. What was read comes back as it was; members that were set since follow."""
        names = list(self._names or [])
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            optional = self._names is not None or "since" in field.metadata
            if field.name not in names and not (optional and not _is_required(field) and value == _default_of(field)):
                names.append(field.name)
        names += [name for name in self.extra if name not in names]
        declared = {field.name for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        kept = (name for name in names if name in declared or name in self.extra)
        return {name: _plain(getattr(self, name) if name in declared else self.extra[name]) for name in kept}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.to_dict() == self.to_dict()  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment]


def _no_constant(word: str) -> Any:
    raise FormatError(f"$: {word} is no JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_constant(digits)  # 1e999 could not be written again


def parsed(text: Union[str, bytes]) -> Any:
    """The value of a JSON text, UTF-8. Raises FormatError; NaN and infinities are no JSON."""
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:  # no JSON, no UTF-8, an integer of thousands of digits, or nested without end
        raise FormatError(f"$: not JSON: {error}") from None


def text_of(value: Any) -> str:
    """`value` as JSON, indented by two. Raises ValueError for a NaN or an infinity."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can name and UTF-8 cannot hold
        return json.dumps(value, indent=2, allow_nan=False)
    return text


def written(path: Union[str, "os.PathLike[str]"], value: Any) -> None:
    """Writes `value` as JSON, indented by two, in place of what was there: a reader finds the old file or the new one.

    Raises OSError, and ValueError for a NaN or an infinity."""
    target = os.path.abspath(os.fspath(path))
    text = text_of(value) + "\n"
    os.makedirs(os.path.dirname(target), exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=os.path.basename(target) + ".", dir=os.path.dirname(target))
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o666 & ~_mask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class Document(Record):
    """A record that is a whole file and states its `schema_version`."""

    schema_version: str

    @classmethod
    def from_dict(cls: Type[R], value: Any, at: str = "$") -> R:
        """As `Record.from_dict`; versions 1.x are read, of which those after 1.1 may have members that only `extra` keeps."""
        version = value.get("schema_version") if isinstance(value, dict) else None
        if version is not None and not (isinstance(version, str) and _VERSION.fullmatch(version)):
            raise _complain(member(at, "schema_version"), "a version 1.x", version)
        return super().from_dict(value, at)  # type: ignore[misc]

    @classmethod
    def from_json(cls: Type[R], text: Union[str, bytes]) -> R:
        """Reads the text of a file. Raises FormatError."""
        return cls.from_dict(parsed(text))

    @classmethod
    def load(cls: Type[R], path: Union[str, "os.PathLike[str]"]) -> R:
        """Reads a file. Raises OSError, and FormatError with the file and the JSON path in it."""
        with open(path, "rb") as file:
            text = file.read()
        try:
            return cls.from_dict(parsed(text))
        except FormatError as error:
            raise FormatError(f"{os.fspath(path)}: {error}") from None

    def to_json(self) -> str:
        """The text of the file, indented by two, without a line end behind it."""
        return text_of(self.to_dict())

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the file. Raises OSError."""
        written(path, self.to_dict())
