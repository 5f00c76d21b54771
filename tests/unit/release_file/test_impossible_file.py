"""Release files of networks that declare combinations impossible: written, read, shown, and refused where they do not fit."""

import json

import pytest
from support.impossible import FREE, IMPOSSIBLE, MECHANISMS, NETWORK, RECORDS

from discreet import FormatError, Gaussian, KNorm, Laplace, Ledger, load, release
from discreet.cli.show import summary
from discreet.measure.known_zeros import known_numbers
from discreet.release_file.document import digest, release_from_json, release_text, release_to_json
from discreet.release_file.facts import facts


def content(mechanism, network=NETWORK):
    return release_to_json(release(RECORDS, network, mechanism, ledger=Ledger.unlimited()))


def edited(written, **entries):
    """The same file with other entries, and a digest that fits."""
    changed = {**json.loads(json.dumps(written)), **entries}
    return {**changed, "digest": digest(changed)}


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_release_is_read_as_it_was_written(name, tmp_path):
    made = release(RECORDS, NETWORK, MECHANISMS[name], ledger=Ledger.unlimited())
    made.save(tmp_path / "release.json")
    again = load(tmp_path / "release.json")
    assert again.value.network == NETWORK
    assert release_text(again) == (tmp_path / "release.json").read_bytes()
    assert json.loads((tmp_path / "release.json").read_text())["network"]["impossible"] == IMPOSSIBLE


def test_a_file_without_a_declaration_says_nothing_of_it():
    assert "impossible" not in json.dumps(content(KNorm("1"), FREE))


@pytest.mark.parametrize("mechanism", [Laplace("1"), Gaussian(rho="1/50")], ids=repr)
def test_a_number_where_zero_is_known_is_refused(mechanism):
    written = content(mechanism)
    statistics = json.loads(json.dumps(written["statistics"]))
    if "tables" in statistics:
        statistics["tables"]["pregnant"][0][1] = 1
    else:
        measurements = mechanism.measurements(NETWORK)
        place = next(n for n, each in enumerate(measurements) if known_numbers(NETWORK, each).any())
        statistics["margins"][place]["counts"][int(known_numbers(NETWORK, measurements[place]).argmax())] = 1
    with pytest.raises(Exception, match="another number than zero for what the network declares impossible"):
        release_from_json(edited(written, statistics=statistics))


def test_a_declaration_that_was_put_in_later_does_not_fit_the_noisy_numbers():
    """Noise in a cell that is now called impossible: nobody measured it so."""
    written = content(Laplace("1/100"), FREE)
    network = {**written["network"], "impossible": IMPOSSIBLE}
    with pytest.raises(Exception, match="declares impossible"):
        release_from_json(edited(written, network=network))


def test_added_records_that_are_impossible_are_refused():
    written = release_to_json(release(RECORDS, NETWORK, KNorm("1"), ledger=Ledger.unlimited()).update(RECORDS))
    own = json.loads(json.dumps(written["own"]))
    own["tables"]["pregnant"][0] = [own["tables"]["pregnant"][0][0] - 1, 1]
    with pytest.raises(FormatError, match="have what its network declares impossible"):
        release_from_json(edited(written, own=own))


def test_people_and_programs_are_told():
    made = release(RECORDS, NETWORK, KNorm("1"), ledger=Ledger.unlimited())
    assert dict(facts(made))["impossible"] == "sex=male, pregnant=yes; sex=female, pregnant=no, ward=birth"
    assert summary(made)["impossible"] == IMPOSSIBLE
    assert "impossible" not in summary(release(RECORDS, FREE, KNorm("1"), ledger=Ledger.unlimited()))
