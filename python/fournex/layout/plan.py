"""The plan of a layout change, as ``data/schemas/layout_plan.v1.json`` describes it: which modules get which memory format."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from typing import Any, List, Optional, Tuple

SCHEMA = "layout_plan.v1"
VARIABLE = "FRX_LAYOUT_PLAN"
FORMATS = ("channels_last", "channels_last_3d", "contiguous_format")
PLACES = ("input", "output")
LARGEST_PLAN = 1 << 20  # bytes


class PlanError(ValueError):
    """A plan is not what its schema says: ``plan.json: $.changes[0].format: expected channels_last, ..., found "nhwc"``."""


@dataclasses.dataclass(frozen=True)
class Change:
    """One change. `kind` is "memory_format" (with `format` and `inputs`) or "contiguous" (with `at`)."""

    kind: str
    modules: Tuple[str, ...]  # patterns of fnmatch over the names of named_modules(); "*" is the whole model
    format: str = ""
    inputs: bool = False  # whether the inputs of the matched modules are converted, too
    at: str = ""


@dataclasses.dataclass(frozen=True)
class Plan:
    """A plan and the SHA-256 of the bytes of its file."""

    changes: Tuple[Change, ...]
    sha256: str
    model: Optional[str] = None


def _fail(path: str, member: str, expected: str, found: Any) -> PlanError:
    shown = json.dumps(found, default=str)
    return PlanError(f"{path}: {member}: expected {expected}, found {shown if len(shown) <= 60 else shown[:57] + '...'}")


def _modules_of(entry: Any, path: str, at: str) -> Tuple[str, ...]:
    modules = entry.get("modules")
    if not isinstance(modules, list) or not modules or not all(isinstance(one, str) and one for one in modules):
        raise _fail(path, f"{at}.modules", "a list of patterns of module names", modules)
    return tuple(modules)


def _change_of(entry: Any, path: str, at: str) -> Change:
    if not isinstance(entry, dict):
        raise _fail(path, at, "an object", entry)
    kind = entry.get("kind")
    if kind not in ("memory_format", "contiguous"):
        raise _fail(path, f"{at}.kind", "memory_format or contiguous", kind)
    known = {"kind", "modules", "format", "inputs"} if kind == "memory_format" else {"kind", "modules", "at"}
    for name in entry:
        if name not in known:
            raise _fail(path, f"{at}.{name}", f"no such member of {kind}", entry[name])
    modules = _modules_of(entry, path, at)
    if kind == "contiguous":
        if entry.get("at") not in PLACES:
            raise _fail(path, f"{at}.at", "input or output", entry.get("at"))
        return Change(kind, modules, at=entry["at"])
    if entry.get("format") not in FORMATS:
        raise _fail(path, f"{at}.format", ", ".join(FORMATS[:-1]) + " or " + FORMATS[-1], entry.get("format"))
    inputs = entry.get("inputs", False)
    if not isinstance(inputs, bool):
        raise _fail(path, f"{at}.inputs", "true or false", inputs)
    return Change(kind, modules, format=entry["format"], inputs=inputs)


def read_plan(path: str) -> Plan:
    """The plan in the file `path`. Raises PlanError, which names the file and the member, and OSError."""
    with open(path, "rb") as file:
        raw = file.read(LARGEST_PLAN + 1)
    if len(raw) > LARGEST_PLAN:
        raise PlanError(f"{path}: expected at most {LARGEST_PLAN} bytes")
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{path}: expected JSON: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise _fail(path, "$.schema", SCHEMA, document.get("schema") if isinstance(document, dict) else document)
    entries = document.get("changes")
    if not isinstance(entries, list) or not entries:
        raise _fail(path, "$.changes", "a list with a change or more", entries)
    changes: List[Change] = [_change_of(entry, path, f"$.changes[{i}]") for i, entry in enumerate(entries)]
    model = document.get("model")
    return Plan(tuple(changes), hashlib.sha256(raw).hexdigest(), model if isinstance(model, str) else None)


def plan_in_environment() -> Optional[Plan]:
    """The plan that FRX_LAYOUT_PLAN names; None where the variable is not set or empty. Raises as `read_plan` does."""
    path = os.environ.get(VARIABLE)
    return read_plan(path) if path else None
