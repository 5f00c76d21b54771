"""Parts of discreet that are installed only by those who need them."""

from __future__ import annotations

from importlib.util import find_spec

from discreet.errors import FormatError

__all__ = ["need_extra"]


def need_extra(module: str, extra: str) -> None:
    """Say what to install where a module is not there."""
    if find_spec(module) is None:
        raise FormatError(f'This needs a part that is not installed. Run: pip install "discreet[{extra}]"')
