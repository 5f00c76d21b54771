"""Studies: repeatable, interruptible, and the same whoever does the work."""

import json

import numpy as np
import pytest

from discreet.experiments.study import Study, averages, run


def draw(settings, repeat):
    """The work of a repeat: two rows that depend on the seed and the repeat alone."""
    generator = np.random.default_rng([settings["seed"], repeat])
    return [[repeat, name, float(generator.random())] for name in ("first", "second")]


def study(seed=1, repeats=6, work=draw):
    return Study("sums", ("repeat", "name", "value"), {"seed": seed}, repeats, work)


def test_rows_come_in_order_of_repeat_and_depend_on_the_seed_alone(tmp_path):
    first, again, other = (run(study(seed), tmp_path / str(place), processes=1) for place, seed in enumerate((1, 1, 2)))
    assert first.complete
    assert first.rows == again.rows != other.rows
    assert [row[0] for row in first.rows] == [repeat for repeat in range(6) for _ in range(2)]


@pytest.mark.slow
def test_two_processes_make_the_same_rows_as_one(tmp_path):
    assert run(study(), tmp_path / "two").rows == run(study(), tmp_path / "one", processes=1).rows


class Interrupted:
    """Work that is interrupted at one repeat."""

    def __init__(self, at):
        self.at, self.done = at, []

    def __call__(self, settings, repeat):
        if repeat == self.at:
            raise KeyboardInterrupt
        self.done.append(repeat)
        return draw(settings, repeat)


def test_an_interrupted_study_keeps_what_is_done_and_goes_on_from_there(tmp_path):
    stopped = run(study(work=Interrupted(4)), tmp_path, processes=1)
    assert (stopped.done, stopped.complete) == (4, False)
    assert "partial: 4 of 6" in stopped.remark
    rest = Interrupted(None)
    finished = run(study(work=rest), tmp_path, processes=1)
    assert rest.done == [4, 5]
    assert finished.complete
    assert not finished.remark
    assert finished.rows == run(study(), tmp_path / "whole", processes=1).rows
    assert list(tmp_path.glob("*.partial.jsonl")) == []


def test_a_line_that_was_cut_off_is_done_again(tmp_path):
    run(study(work=Interrupted(4)), tmp_path, processes=1)
    kept = tmp_path / "sums.partial.jsonl"
    kept.write_text(kept.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    rest = Interrupted(5)
    run(study(work=rest), tmp_path, processes=1)
    assert rest.done == [3, 4]
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert [line[0] for line in lines[1:]] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("changed", [study(seed=2, work=Interrupted(None)), study(repeats=7, seed=3, work=Interrupted(None))])
def test_what_another_study_left_is_not_taken_over(tmp_path, changed):
    run(study(work=Interrupted(4)), tmp_path, processes=1)
    run(changed, tmp_path, processes=1)
    assert changed.work.done[0] == 0


def test_averages_are_means_with_standard_errors():
    rows = [[0, "a", 1.0], [1, "a", 2.0], [2, "a", 6.0], [0, "b", 5.0], [1, "b", None]]
    found = averages(rows, (1,), 2)
    assert found["a",].mean == 3
    assert found["a",].error == pytest.approx(np.std([1, 2, 6], ddof=1) / np.sqrt(3))
    assert (found["b",].mean, found["b",].error, found["b",].count) == (5, 0, 1)
