"""What scikit-learn hands over, as a table with the declared columns.

Frames stay frames, so that texts, categories and missing values are read as everywhere else. Arrays have no names: their
columns are the declared ones, in the declared order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.validation import validate_data

__all__ = ["as_table", "check_input", "labels_of"]

_KNOWN = re.compile(
    r"(Sparse data|Complex data|Expected 2D array|Found array|Input [Xy]|X has \d|float\(\) argument|.*requires y|dtype=)"
)
"""How messages of scikit-learn begin that are passed on, as far as their first line goes. Others may quote anything."""


def check_input(estimator: Any, X: Any, *, reset: bool, numbers: bool = False) -> Any:  # noqa: N803 - the field's name for it
    """X as scikit-learn wants it checked; tells it how many features there are and what they are called."""
    frame = _as_frame(X)
    if frame is None:
        return _without_values(lambda: validate_data(estimator, X, reset=reset, dtype="numeric" if numbers else None))
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if not len(frame):
        raise ValueError(f"Found array with 0 sample(s) (shape={frame.shape}) while a minimum of 1 is required.")
    return X


def labels_of(estimator: Any, X: Any, y: Any, *, numbers: bool = False) -> Any:  # noqa: N803
    """The target as one array, as long as X, without missing values."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    flat = column_or_1d(_as_array(y), warn=True)
    if flat.dtype.kind == "O" and any(_is_gap(value) for value in flat.tolist()):
        raise ValueError("Input y contains NaN or None. Declare a class for what is missing, and fill it in.")
    if numbers and flat.dtype.kind == "O":
        flat = _without_values(lambda: flat.astype(np.float64))
    assert_all_finite(flat, input_name="y")
    check_consistent_length(X, flat)
    return flat


def as_table(X: Any, columns: Sequence[str], further: dict[str, Any] | None = None) -> Any:  # noqa: N803
    """X as a table whose columns have these names; of a frame its own. ``further`` columns come beside them."""
    frame = _as_frame(X)
    if frame is None:
        named = {name: _column(name, X[:, place]) for place, name in enumerate(columns)}
        return pl.DataFrame({**named, **{name: _column(name, np.asarray(more)) for name, more in (further or {}).items()}})
    for name, more in (further or {}).items():
        values = _column(name, np.asarray(more)).to_list()
        frame = frame.with_columns(nw.new_series(name, values, backend=frame.implementation))
    return frame.to_native()


def _without_values(step: Callable[[], Any]) -> Any:
    """Run a check of somebody else's; of its error only what names no value of a record.

    Some messages print the array, below their first line, or the text that is no number, behind a colon. Ours is raised after
    the handler has ended: nothing is chained to it.
    """
    try:
        return step()
    except (TypeError, ValueError) as error:
        kind, said = TypeError if isinstance(error, TypeError) else ValueError, str(error).split("\n")[0]
    if "could not convert" in said or "array=" in said or not (said.isascii() and _KNOWN.match(said)):
        said = "X or y holds something that is not of the kind that is needed, such as a text in place of a number"
    advice = " Reshape your data to records x features." if said.startswith("Expected 2D") else ""
    raise kind(f"{said.rstrip(':.')}.{advice} Values are not shown, since they are private.")


def _as_frame(X: Any) -> nw.DataFrame[Any] | None:  # noqa: N803
    """A table that knows the names of its columns, or None: pandas numbers the columns of an array."""
    found = nw.from_native(X, eager_only=True, pass_through=True)
    return found if isinstance(found, nw.DataFrame) and all(isinstance(name, str) for name in found.columns) else None


def _as_array(y: Any) -> Any:
    """A series of any library, or a frame of one column, as an array."""
    found = nw.from_native(y, eager_only=True, allow_series=True, pass_through=True)
    return found.to_numpy() if isinstance(found, nw.Series | nw.DataFrame) else found


def _column(name: str, values: Any) -> pl.Series:
    """One column of an array. Objects of several kinds go by their text, as the columns of frames do."""
    if values.dtype.kind in "biuf" and values.dtype.itemsize <= 8 and values.dtype != np.float16:
        return pl.Series(name, np.ascontiguousarray(values))
    listed = [None if _is_gap(value) else value for value in values.tolist()]
    if len({type(value) for value in listed if value is not None}) > 1:
        listed = [None if value is None else str(value) for value in listed]
    found: pl.Series = _without_values(lambda: pl.Series(name, listed))
    return found


def _is_gap(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)  # NaN alone is not itself
