"""How large the expressions are that engines are asked to read."""

import narwhals as nw
import polars as pl

from discreet.data.reading_expressions import _choose_text


def test_what_a_text_is_otherwise_stands_in_the_expression_once():
    """Of a column with many cuts it is a tree as long as the list of words: repeated for each, it took minutes to build."""
    words = {f"word{place}": place for place in range(40)}
    otherwise = nw.when(nw.col("x") == "seven").then(nw.lit(777_777)).otherwise(nw.lit(-1))
    frame = nw.from_native(pl.LazyFrame({"x": ["word3", "word39", "seven", "else", None]}))
    asked = nw.to_native(frame.select(_choose_text(nw.col("x"), words, otherwise)))
    assert asked.explain(optimized=False).count("777777") == 1
    assert asked.collect().to_series().to_list() == [3, 39, 777_777, -1, -1]
