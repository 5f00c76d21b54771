from __future__ import annotations

import gzip
import os
import re

import numpy as np
import pytest

from discreet.errors import FormatError
from discreet.model.files.bif import format_bif, parse_bif, parse_bif_network
from discreet.model.files.network_file import read_tables
from discreet.model.network import Network
from discreet.model.variable import Variable

ROOTS = """
network unknown { }
variable a { type discrete [ 2 ] { x, y }; }
variable b { type discrete [ 3 ] { p, q, r }; }
variable c { type discrete [ 2 ] { no, yes }; }
probability ( a ) { table 0.3, 0.7; }
probability ( b ) { table 0.2 0.3 0.5; }
"""
FIRST_LEVEL = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
LAYOUT = np.column_stack([FIRST_LEVEL, 1 - np.array(FIRST_LEVEL)])


def with_child(body, header="c | a, b"):
    return f"{ROOTS}probability ( {header} ) {{ {body} }}"


def rows(order=range(6), header=("x, p", "x, q", "x, r", "y, p", "y, q", "y, r")):
    return " ".join(f"({header[row]}) {FIRST_LEVEL[row]}, {1 - FIRST_LEVEL[row]};" for row in order)


def test_rows_are_placed_by_their_levels_first_parent_slowest():
    network, tables = parse_bif(with_child(rows(order=[3, 0, 5, 4, 1, 2])))
    assert network.parents["c"] == ("a", "b")
    assert tables["c"] == pytest.approx(LAYOUT)
    assert tables["a"].tolist() == [[0.3, 0.7]]
    assert tables["b"].shape == (1, 3)


def test_a_table_with_parents_lists_the_node_slowest_and_the_last_parent_fastest():
    values = ", ".join(str(value) for value in [*FIRST_LEVEL, *(1 - np.array(FIRST_LEVEL))])
    assert parse_bif(with_child(f"table {values};"))[1]["c"] == pytest.approx(LAYOUT)


@pytest.mark.parametrize("body", ["default 0.5 0.5; (x, q) 0.1, 0.9;", "(x, q) 0.1, 0.9; default 0.5, 0.5;"])
def test_a_default_row_holds_where_there_is_no_other(body):
    table = parse_bif(with_child(body))[1]["c"]
    assert table[1].tolist() == [0.1, 0.9]
    assert (np.delete(table, 1, axis=0) == 0.5).all()


@pytest.mark.parametrize("header", ["c | a, b", "c | a b", "c, a, b", "c a b", '"c"|"a","b"', "c |\n a ,\tb"])
def test_headers_may_be_written_in_several_ways(header):
    assert parse_bif(with_child(rows(), header))[0].parents["c"] == ("a", "b")


def test_comments_and_properties_may_stand_anywhere():
    text = """// first line, with a brace { and a "quote
    network "Dog-Problem" { //5 variables
      property "credal-set constant-density-bounded 1.1" ;
      property author = somebody; }
    variable a { property "position = (73, 165)" ; type /* kind */ discrete[2] { "true" "false" }; property x ; } // }
    probability ( /* the node */ a ) { property one; table 0.25 /* a quarter; */ 0.75 // rest
    ; property "two; three"; }
    /* end */"""
    network, tables = parse_bif(text)
    assert network.variable("a").levels == ("true", "false")
    assert tables["a"].tolist() == [[0.25, 0.75]]


def test_a_property_may_be_longer_than_a_name():
    text = f'variable v {{ type discrete [ 2 ] {{ a, b }}; property "{"long " * 1000}" ; property {"x" * 5000}; }}'
    assert parse_bif_network(text).nodes == ("v",)


def test_odd_levels_need_no_quotes():
    odd = ["<5", "5-12", "12+", ">=7.5", "5.5-6.5", "LT_5_5", "Asy/Patch", "100%", "1", "it's", "a:b", "é", "a\\b", "table"]
    text = f"variable v {{ type discrete [ {len(odd)} ] {{ {', '.join(odd)} }}; }}"
    assert parse_bif_network(text).variable("v").levels == tuple(odd)


def test_quotes_protect_spaces_marks_and_comments():
    text = r'variable "a | b" { type discrete [ 4 ] { "x, y", "{;}", "// no comment", "say \"hi\" \\ C:\dir" }; }'
    network = parse_bif_network(text)
    assert network.nodes == ("a | b",)
    assert network.variable("a | b").levels == ("x, y", "{;}", "// no comment", 'say "hi" \\ C:\\dir')


def test_names_with_spaces_and_no_quotes_are_understood_where_commas_part_them():
    text = """variable my node { type discrete [ 2 ] { very low, very high }; }
    variable other one { type discrete [ 2 ] { a, b }; }
    probability ( my node ) { table 0.5, 0.5; }
    probability ( other one | my node ) { (very low) 0.1, 0.9; (very high) 0.2, 0.8; }"""
    network, tables = parse_bif(text)
    assert network.parents["other one"] == ("my node",)
    assert tables["other one"].tolist() == [[0.1, 0.9], [0.2, 0.8]]


def test_a_variable_may_be_declared_after_its_probabilities():
    text = "probability ( v ) { table 0.5, 0.5; } variable v { type discrete [ 2 ] { a, b }; }"
    assert parse_bif(text)[1]["v"].tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("values", ["1e-3, 0.999", ".001 .999", "1.0E-03,+9.99e-1", "0.001,\n0.999,"])
def test_numbers_may_be_written_in_several_ways(values):
    text = f"variable v {{ type discrete [ 2 ] {{ a, b }}; }} probability ( v ) {{ table {values}; }}"
    assert parse_bif(text)[1]["v"].tolist() == [[0.001, 0.999]]


def test_rounded_rows_are_normalised():
    text = "variable v { type discrete [ 3 ] { a, b, c }; } probability ( v ) { table 0.333 0.333 0.333; }"
    assert parse_bif(text)[1]["v"] == pytest.approx(np.full((1, 3), 1 / 3), abs=1e-15)


@pytest.mark.parametrize("row", ["0.5, 0.52", "0.5, 0.48", "1.5, -0.5", "1e999, 0", "0, 0"])
def test_a_row_that_is_no_distribution_is_refused_with_node_and_configuration(row):
    body = rows().replace("0.05, 0.95", row)
    with pytest.raises(FormatError, match=r"'c' in configuration \(a=y, b=q\) must be at least zero and sum to one"):
        parse_bif(with_child(body))


VARIABLE = "variable v { type discrete [ 2 ] { a, b }; }\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one variable"),
        ("network n { }", "at least one variable"),
        ("\n\nnonsense", "line 3: expected 'network', 'variable' or 'probability', found 'nonsense'"),
        ("\x00\x01\x02\xff", "line 1: expected 'network'"),
        ("network n {", "line 1: expected '}' at the end of the network block, found the end of the text"),
        ("network n property", "expected '{' after the name of the network"),
        ("network n { property x }", "expected ';' after the property, found '}'"),
        ("variable v", "expected '{' after the name of the variable"),
        ("variable v {\n}", "line 1: 'v' has 0 level"),
        ("variable { type discrete [ 2 ] { a, b }; }", "line 1: A variable needs a name"),
        ("variable v { type continuous; }", "only discrete variables"),
        ("variable v {\n type discrete [ 3 ] { a, b }; }", "line 2: 3 levels are announced, but 2 are listed"),
        ("variable v { type discrete [ many ] { a, b }; }", "expected the number of levels, found 'many'"),
        ("variable v { type discrete [ -2 ] { a, b }; }", "expected the number of levels"),
        ("variable v { type discrete [ 99999999999999999999 ] { a, b }; }", "expected the number of levels"),
        ("variable v { type discrete [ 999999999 ] { a, b }; }", "999999999 levels are announced"),
        ("variable v { type discrete [ 2 ] { a, b } }", "expected ';' after the levels, found '}'"),
        ("variable v { type discrete [ 2 ] { a, b ;", "expected '}' after the levels, found ';'"),
        ("variable v { type discrete [ 2 ] { a, a }; }", "line 1: 'v' declares level 'a' more than once"),
        ("variable v { type discrete [ 2 ] { a, b }; type discrete [ 2 ] { a, b }; }", "expected 'property' or '}'"),
        (VARIABLE * 2, "line 2: the variable 'v' is declared twice"),
        ('variable "v {\n}', "line 1: expected the end of the quoted name"),
        ("variable v /* never closed", "expected the end of the comment"),
        ("variable " + "v" * 1001 + " { }", "expected a name of at most 1,000 characters"),
        ("variable " + "/v" * 100_000 + " { }", "expected a name of at most 1,000 characters"),
        ("variable " + "v " * 600 + " { }", "too long"),
        (VARIABLE + "probability v", r"line 2: expected '(' after 'probability'"),
        (VARIABLE + "probability ( v { table 0.5, 0.5; }", "expected ')' or '|' after the name of the node"),
        (VARIABLE + "probability ( v ) table 0.5, 0.5;", "expected '{' before the probabilities"),
        (VARIABLE + "probability ( v ) { table 0.5, 0.5;", "expected '}' at the end of the block"),
        (VARIABLE + "probability ( v ) { { }", "expected '}' at the end of the block, found '{'"),
        (VARIABLE + "probability ( ) { }", "line 2: expected one node"),
        (VARIABLE + "probability ( w ) { }", "line 2: there is no variable 'w'. Known: 'v'"),
        (VARIABLE + "probability ( v | v ) { }", "cycle: v <- v"),
        (VARIABLE + "probability ( v ) { table 0.5, 0.5; }\n" * 2, "line 3: the probabilities of 'v' are given twice"),
        (VARIABLE + "probability ( v ) { table 0.5; }", "expected 2 probabilities in the table of 'v'"),
        (VARIABLE + "probability ( v ) { table 0.5 0.3 0.2; }", "expected 2 probabilities"),
        (VARIABLE + "probability ( v ) {\n table 0.5, 0.-5; }", "line 3: expected only numbers in the table of 'v'"),
        (VARIABLE + "probability ( v ) { table nan, 1; }", "expected a number or ';', found 'nan'"),
        (VARIABLE + "probability ( v ) { table 0_5, 1; }", "expected a number or ';', found '0_5'"),
        (VARIABLE + "probability ( v ) { table 0.5, 0.5 }", "expected a number or ';', found '}'"),
        (VARIABLE + "probability ( v ) { table 0.5, 0.5; table 0.5, 0.5; }", "probabilities of 'v' are given twice"),
        (VARIABLE + "probability ( v ) { default 0.5, 0.5; default 0.5, 0.5; }", "probabilities of 'v' are given twice"),
        (VARIABLE + "probability ( v ) { what 0.5, 0.5; }", "expected 'table', 'default', '(' or '}'"),
        (VARIABLE + "probability ( v ) { }", "no probabilities for 'v'"),
        (VARIABLE, "no probabilities for 'v'"),
        (with_child(rows(order=[0, 1, 2, 3, 5])), "'c' has no probabilities for the configuration (a=y, b=q)"),
        (with_child(rows() + rows(order=[2])), "probabilities of 'c' are given twice"),
        (with_child("(x) 0.5, 0.5;"), "must name one level for each of its parents"),
        (with_child("(x, p, p) 0.5, 0.5;"), "must name one level for each of its parents"),
        (with_child("(x, z) 0.5, 0.5;"), "line 8: 'z' is not a level of the parent"),
        (with_child("(x, p; 0.5, 0.5;"), "expected ')' after the levels of the parents, found ';'"),
        (with_child(rows(), "c a | b"), "expected one node, then '|'"),
        (with_child(rows(), "c | a | b"), "expected ')' after the parents, found '|'"),
        (with_child(rows(), "c | a, a"), "names a parent twice"),
    ],
)
def test_a_damaged_text_is_refused_with_line_and_reason(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        parse_bif(text)


def test_structure_without_probabilities_is_a_network():
    text = f"{ROOTS}probability ( c | a, b ) {{ property nothing; }}"
    assert parse_bif_network(text).parents["c"] == ("a", "b")


def test_structure_with_wrong_probabilities_is_refused():
    with pytest.raises(FormatError, match="sum to one"):
        parse_bif_network(VARIABLE + "probability ( v ) { table 0.5, 0.7; }")


def test_a_table_too_large_for_memory_is_refused_before_it_is_made():
    names = [f"n{index}" for index in range(60)]
    variables = "".join(f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}" for name in names)
    with pytest.raises(FormatError, match=r"about 2\^60 cells"):
        parse_bif(f"{variables} probability ( {', '.join(names)} ) {{ default 0.5, 0.5; }}")


def test_deep_nesting_is_refused():
    with pytest.raises(FormatError, match="line 1"):
        parse_bif("variable v " + "{" * 100_000)
    with pytest.raises(FormatError, match="line 2"):
        parse_bif(VARIABLE + "probability " + "(" * 100_000)


def test_written_text_reads_back_to_the_same_network_and_numbers():
    network, tables = parse_bif(with_child(rows()))
    tables["c"][0] = [1 / 3, 2 / 3]
    again, read = parse_bif(format_bif(network, tables))
    assert again == network
    assert all(np.array_equal(read[node], tables[node]) for node in network.nodes)


def test_written_structure_reads_back_to_the_same_network():
    network, _ = parse_bif(with_child(rows()))
    assert parse_bif_network(format_bif(network)) == network


def test_a_name_of_two_lines_cannot_be_written():
    network = Network([Variable("two\nlines", ["a", "b"])])
    with pytest.raises(FormatError, match=r"write a \.json file instead"):
        format_bif(network)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "no probabilities for 'v'"),
        ({"v": [[0.5, 0.7]]}, "sum to one"),
        ({"v": [0.5, 0.5]}, r"has shape \(2,\); it must be \(1, 2\)"),
        ({"v": [["a", "b"]]}, "not a table of numbers"),
        ({"v": [[0.5, 0.5]], "w": [[0.5, 0.5]]}, "table for 'w', which is not a node"),
    ],
)
def test_wrong_tables_cannot_be_written(tables, message):
    with pytest.raises(FormatError, match=message):
        format_bif(Network([Variable("v", ["a", "b"])]), tables)


def test_files_may_be_plain_or_packed(tmp_path):
    text = with_child(rows())
    (tmp_path / "plain.bif").write_text(text)
    (tmp_path / "packed.bif.gz").write_bytes(gzip.compress(text.encode()))
    assert (
        read_tables(tmp_path / "plain.bif")[0] == read_tables(os.fspath(tmp_path / "packed.bif.gz"))[0] == parse_bif(text)[0]
    )


def test_a_file_is_named_when_it_is_refused(tmp_path):
    path = tmp_path / "net.bif"
    path.write_text("nonsense")
    with pytest.raises(FormatError, match=r"net\.bif: line 1: expected"):
        read_tables(path)
    path.write_bytes(b"variable \xff")
    with pytest.raises(FormatError, match=r"net\.bif: The file is not UTF-8"):
        read_tables(path)
    with pytest.raises(FormatError, match=r"missing\.bif: the file cannot be read"):
        read_tables(tmp_path / "missing.bif")
