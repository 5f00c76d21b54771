"""The demonstration and other people's files: it replaces its own and no others."""

from shutil import copytree

import pytest
from support.mechanisms import DATA, NETWORK

from discreet import FormatError, Laplace, Ledger, release
from discreet.experiments.demonstration import LEDGER, PICTURE, RELEASE, check_folder, demonstrate


def leave_a_release_of_mine(folder):
    ledger = Ledger(folder / LEDGER, cap="1", dataset="patients")
    release(DATA, NETWORK, Laplace("1/2"), ledger=ledger, save=folder / RELEASE)
    return ledger


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """What a demonstration leaves."""
    folder = tmp_path_factory.mktemp("left")
    demonstrate(folder)
    return folder


def test_what_a_demonstration_left_may_be_replaced_by_the_next(tmp_path, left):
    copytree(left, tmp_path, dirs_exist_ok=True)
    (tmp_path / PICTURE).write_bytes(b"picture")
    check_folder(tmp_path)
    (tmp_path / LEDGER).unlink()
    check_folder(tmp_path)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_ledger_of_somebody_else_is_never_charged(tmp_path, overwrite):
    ledger = leave_a_release_of_mine(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(FormatError, match=r"holds a clinic\.ledger that is not the demo's"):
        demonstrate(tmp_path, overwrite=overwrite)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert len(ledger.history()) == 1


def test_files_of_somebody_else_are_named_and_replaced_only_if_asked(tmp_path):
    leave_a_release_of_mine(tmp_path)
    (tmp_path / LEDGER).rename(tmp_path / "elsewhere.ledger")
    (tmp_path / PICTURE).write_bytes(b"mine")
    with pytest.raises(FormatError, match=r"holds clinic\.json and posteriors\.png, not made by the demo"):
        demonstrate(tmp_path)
    check_folder(tmp_path, overwrite=True)


def test_a_ledger_with_data_sets_of_both_is_somebody_elses(tmp_path, left):
    copytree(left, tmp_path, dirs_exist_ok=True)
    Ledger(tmp_path / LEDGER, cap="1", dataset="mine")
    with pytest.raises(FormatError, match="that is not the demo's"):
        check_folder(tmp_path)


@pytest.mark.parametrize("name", [LEDGER, RELEASE])
def test_what_cannot_be_read_is_somebody_elses(tmp_path, name):
    (tmp_path / name).write_bytes(b"something")
    with pytest.raises(FormatError, match=name):
        check_folder(tmp_path)


@pytest.mark.parametrize("name", [LEDGER, RELEASE, PICTURE])
def test_a_link_to_what_lies_elsewhere_is_somebody_elses(tmp_path, left, name):
    (tmp_path / "mine").mkdir()
    copytree(left, tmp_path / "demo")
    (tmp_path / "demo" / PICTURE).write_bytes(b"picture")
    (tmp_path / "demo" / name).rename(tmp_path / "mine" / name)
    (tmp_path / "demo" / name).symlink_to(tmp_path / "mine" / name)
    with pytest.raises(FormatError, match=name):
        check_folder(tmp_path / "demo")
