"""The names that `import discreet` offers: few enough to read, and all of them there."""

import discreet


def test_there_are_at_most_forty_public_names():
    assert len(discreet.__all__) == len(set(discreet.__all__)) <= 40


def test_every_public_name_can_be_imported_and_no_other_is_kept():
    for name in discreet.__all__:
        assert getattr(discreet, name) is not None
    assert set(discreet._HOME) == set(discreet.__all__)
