import copy
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bits import SeededBits
from support.networks import networks, records, table

from discreet import BDeu, DiscreetError, FormatError, Laplace, Ledger, Symmetric, load, release
from discreet.release_file.document import digest, release_from_json, release_to_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
PRIORS = st.sampled_from([Symmetric(1.0), Symmetric(0.5), BDeu(3.7)])


@st.composite
def releases(draw):
    network = draw(networks(max_nodes=4, max_levels=3, max_parents=2))
    tables, consistent = draw(st.sampled_from([("all", False), ("maximal", False), ("maximal", True)]))
    laplace = Laplace(draw(st.fractions("1/100", 10)), tables=tables, consistent=consistent)
    frame = table(draw(records(network, 1, 5)), network)
    made = release(frame, network, laplace, ledger=Ledger.unlimited(), prior=draw(PRIORS), _bits=SeededBits(1))
    if draw(st.booleans()):
        made = release(frame, network, laplace, ledger=Ledger.unlimited(), prior=made.plugin, _bits=SeededBits(2))
    if draw(st.booleans()):
        made = made.update(frame)
    # Examples must be reproducible, so the moment is fixed.
    return replace(made, receipts=tuple(replace(receipt, at="2020-01-01T00:00:00Z") for receipt in made.receipts))


def same(one, two):
    assert one.guarantee == two.guarantee
    assert (one.neighbours, one.mechanism, one.caveats, one.receipts, one.software) == (
        two.neighbours,
        two.mechanism,
        two.caveats,
        two.receipts,
        two.software,
    )
    assert one.plugin.network == two.plugin.network
    for node in one.plugin.network.nodes:
        np.testing.assert_array_equal(one.plugin.concentration(node), two.plugin.concentration(node))


@given(releases())
def test_what_is_saved_is_what_is_loaded(made):
    same(release_from_json(json.loads(json.dumps(release_to_json(made)))), made)


def places(content, path=()):
    """Every path into a JSON value."""
    yield path
    if isinstance(content, dict):
        for key, value in content.items():
            yield from places(value, (*path, key))
    elif isinstance(content, list):
        for index, value in enumerate(content):
            yield from places(value, (*path, index))


def changed(content, path, value):
    if not path:
        return value
    copied = copy.deepcopy(content)
    inner = copied
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return copied


@given(st.data())
def test_any_edit_is_noticed_by_the_digest(data):
    content = release_to_json(data.draw(releases()))
    path = data.draw(st.sampled_from(list(places(content))))
    edited = changed(content, path, data.draw(JSON))
    if json.dumps(edited, sort_keys=True) == json.dumps(content, sort_keys=True):
        return
    with pytest.raises(FormatError):
        release_from_json(edited)


@given(st.data())
def test_a_forged_digest_still_gets_a_valid_release_or_a_format_error(data):
    """Someone who recomputes the digest can lie, but never crash the reader or get an inconsistent object past it."""
    content = release_to_json(data.draw(releases()))
    path = data.draw(st.sampled_from([place for place in places(content) if place != ("digest",)]))
    edited = changed(content, path, data.draw(JSON))
    if isinstance(edited, dict):
        edited["digest"] = digest(edited)
    try:
        loaded = release_from_json(edited)
    except DiscreetError:
        return
    for node in loaded.plugin.network.nodes:
        assert (loaded.plugin.concentration(node) > 0).all()
        assert np.isfinite(loaded.plugin.mean(node)).all()


@given(JSON)
def test_arbitrary_json_is_refused(content):
    with pytest.raises(FormatError):
        release_from_json(content)


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("fuzz") / "x.json"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        load(path)


@given(st.data())
def test_truncated_and_mutated_files_are_refused(tmp_path_factory, data):
    made = data.draw(releases())
    path = tmp_path_factory.mktemp("fuzz") / "x.json"
    made.save(path)
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content) - 3))
    flip = data.draw(st.integers(1, 255))
    for broken in (content[:cut], content[:cut] + bytes([content[cut] ^ flip]) + content[cut + 1 :]):
        path.write_bytes(broken)
        try:
            loaded = load(path)
        except FormatError:
            continue
        same(loaded, made)  # only white space or a spelling of the same number may change unnoticed
