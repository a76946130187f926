"""Reads what a newer or odd client says of itself: the parts that are not understood are left out, the rest counts.

The protocol's own library refuses a whole `initialize` for one unknown value in any list of any capability.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

Fits = Callable[[Any], bool]

_DROPPED = object()


def understood(value: Any, fits: Fits) -> Any:
    """The largest part of `value` that `fits` accepts, by leaving out keys and list items; None where nothing is.

    With `fits` that accepts known formats only, `{"hover": {"contentFormat": ["markdown", "html"]}}` is
    `{"hover": {"contentFormat": ["markdown"]}}`.
    """
    found = _prune(value, fits)
    return None if found is _DROPPED else found


def _fits_with(fits: Fits, kept: dict[Any, Any], key: Any, new: Any) -> bool:
    return fits({**kept, key: new})


def _prune(value: Any, fits: Fits) -> Any:
    if fits(value):
        return value
    kept: Any
    if isinstance(value, dict):
        kept = {}
        for key, item in value.items():
            part = _prune(item, partial(_fits_with, fits, kept, key))
            if part is not _DROPPED:
                kept[key] = part
    elif isinstance(value, list):
        kept = []
        for item in value:
            part = _prune(item, lambda new: fits([*kept, new]))
            if part is not _DROPPED:
                kept.append(part)
    else:
        return _DROPPED
    return kept if fits(kept) else _DROPPED
