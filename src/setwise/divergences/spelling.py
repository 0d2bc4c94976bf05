"""How a divergence is written in a word, `renyi:0.9:matched`: read off the fields of its dataclass, both ways."""

from __future__ import annotations

import math
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from typing import Any, Literal

from setwise.errors import InputError

Radius = Literal["paper", "matched"]


# A field with `words` in its metadata is spelled as the word of its value; the default is not spelled out.
RADIUS = {"words": {"paper": "paper", "matched": "matched"}}
"""`radius`: "paper" (equation D-hat, both k-th distances) or "matched" (counts in the larger of the two balls)."""


def numbers_of(kind: Any) -> list[Field[Any]]:
    """The fields that are spelled as numbers."""
    return [one for one in fields(kind) if "words" not in one.metadata]


def options_of(kind: Any) -> list[Field[Any]]:
    """The fields that are spelled as words."""
    return [one for one in fields(kind) if "words" in one.metadata]


def spell(divergence: Any) -> str:
    """The spelling that `parse` reads back."""
    parts = [type(divergence).name]
    parts += [repr(getattr(divergence, one.name)).removesuffix(".0") for one in numbers_of(divergence)]
    for one in options_of(divergence):
        value = getattr(divergence, one.name)
        if value != one.default:
            parts += [word for word, meaning in one.metadata["words"].items() if meaning == value]
    return ":".join(parts)


def usage(kind: Any) -> str:
    """The pattern of a family's spellings: renyi:ALPHA[:matched]."""
    text = ":".join([kind.name, *(one.name.upper() for one in numbers_of(kind))])
    for one in options_of(kind):
        words = [word for word, meaning in one.metadata["words"].items() if meaning != one.default]
        text += f"[:{'|'.join(words)}]"
    return text


def check_fields(divergence: Any) -> None:
    """Make the number fields plain finite floats, and refuse options that have no word."""
    for one in numbers_of(divergence):
        value = getattr(divergence, one.name)
        try:
            number = math.nan if isinstance(value, bool | str) else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise InputError(f"{divergence.name} got {one.name}={value!r}; it must be a finite number.")
        object.__setattr__(divergence, one.name, number)
    for one in options_of(divergence):
        value, allowed = getattr(divergence, one.name), list(one.metadata["words"].values())
        if isinstance(one.default, bool):
            allowed = [False, True]
        if not any(type(value) is type(choice) and value == choice for choice in allowed):
            choices = " or ".join(repr(choice) for choice in allowed)
            raise InputError(f"{divergence.name} got {one.name}={value!r}; it must be {choices}.")


def read(text: str, kinds: dict[str, Any], aliases: dict[str, str]) -> Any:
    """An instance of one of `kinds` from its spelling, upper or lower case."""
    name, *parts = [part.strip() for part in text.strip().lower().split(":")]
    kind = kinds.get(aliases.get(name, name))
    if kind is None:
        near = get_close_matches(name, [*kinds, *aliases], n=1, cutoff=0.5)
        hint = f"; did you mean {usage(kinds[aliases.get(near[0], near[0])])}?" if near else "."
        raise InputError(f"divergence {text!r} is not known{hint} Allowed: {', '.join(map(usage, kinds.values()))}.")
    wrong = InputError(f"divergence {text!r} cannot be read; {name} is spelled {usage(kind)}.")
    arguments: dict[str, object] = {}
    for one in numbers_of(kind):
        try:
            arguments[one.name] = float(parts.pop(0))
        except (IndexError, ValueError):
            if one.default is MISSING:
                raise wrong from None
    for one in options_of(kind):
        if parts and parts[0] in one.metadata["words"]:
            arguments[one.name] = one.metadata["words"][parts.pop(0)]
    if parts:
        raise wrong
    return kind(**arguments)
