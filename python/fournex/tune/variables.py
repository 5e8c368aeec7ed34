"""Variables of the environment as values. An empty one counts as not set; one that cannot be read is a ValueError that names it.

A trial whose setting was misread would measure something else than its name says, so there is no default for such a value.
"""

from __future__ import annotations

from typing import Mapping, Optional, Sequence

_WORDS = {"true": True, "1": True, "false": False, "0": False}
# Longer texts are no number that a program could use; Python itself refuses to read some of them.
_MOST_DIGITS = 18


def _text(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name, "").strip()


def _unreadable(name: str, expected: str, found: str) -> ValueError:
    shown = found if len(found) <= 40 else found[:37] + "..."
    return ValueError(f"{name}: expected {expected}, found {shown!r}")


def whole_number(environment: Mapping[str, str], name: str, least: int) -> Optional[int]:
    """The variable as a whole number of at least `least`; None where it is not set."""
    text = _text(environment, name)
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > _MOST_DIGITS or int(text) < least:
        raise _unreadable(name, f"a whole number of at least {least}", text)
    return int(text)


def switch(environment: Mapping[str, str], name: str) -> Optional[bool]:
    """The variable as true or false, also written 1 or 0; None where it is not set."""
    text = _text(environment, name)
    if not text:
        return None
    if text.lower() not in _WORDS:
        raise _unreadable(name, "true or false", text)
    return _WORDS[text.lower()]


def choice(environment: Mapping[str, str], name: str, known: Sequence[str]) -> Optional[str]:
    """The variable as one of the words `known`; None where it is not set."""
    text = _text(environment, name)
    if not text:
        return None
    if text not in known:
        raise _unreadable(name, " or ".join(known), text)
    return text


def word(environment: Mapping[str, str], name: str) -> Optional[str]:
    """The variable as it is, without white space around it; None where it is not set."""
    return _text(environment, name) or None
