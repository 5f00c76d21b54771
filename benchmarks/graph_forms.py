"""What ``auto`` loses against the best form that it could have taken, on random networks: levels, sizes and budgets at random.

``python -m benchmarks.graph_forms FIRST LAST`` draws and learns the worlds of these seeds and keeps them in
``graph_forms.json``; without numbers it prints what each form, and auto, lost on the worlds that are there. The rule of auto
was made while the worlds before ``_LOOKED_AT`` were looked at, so they are printed apart.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import discreet as dc
from discreet.learning.together import prepare_whole
from discreet.planning.form_choice import choose_form
from discreet.planning.form_kinds import Form
from discreet.planning.graph_forms import GraphFacts

_RESULTS = Path(__file__).parent / "graph_forms.json"
_LOOKED_AT = 35
_TESTED = 4000
_PLAIN = (Form.DAG, Form.TREE, Form.FOREST, Form.EMPTY)
_FOR_TARGET = (Form.DAG, Form.TAN, Form.NAIVE_BAYES)


def _world(seed: int) -> tuple[dict[str, Any], dc.Network, pl.DataFrame, np.random.Generator]:
    """A random network and records of it."""
    generator = np.random.default_rng(seed)
    count = int(generator.choice([5, 8, 12, 16, 24]))
    kind = str(generator.choice(["binary", "four", "mixed", "wide"], p=[0.35, 0.25, 0.3, 0.1]))
    some = generator.choice([2, 2, 3, 4, 6, 10], count)
    sizes = [int(size) for size in {"binary": [2] * count, "four": [4] * count, "mixed": some, "wide": [12] * count}[kind]]
    rows, epsilon = int(generator.choice([500, 2000, 10000, 40000, 150000])), str(generator.choice(["0.1", "0.3", "1", "3"]))
    most, even = int(generator.choice([1, 2, 3])), float(generator.choice([0.4, 1.0, 2.0]))
    variables = [dc.Variable(f"v{place}", [str(level) for level in range(size)]) for place, size in enumerate(sizes)]
    parents = {}
    for place in range(count):
        near = list(range(max(0, place - 8), place))
        wanted = min(len(near), int(generator.integers(0, most + 1)) if place > 1 else min(place, 1))
        chosen: list[int] = []
        for other in generator.permutation(near):
            if len(chosen) < wanted and np.prod([sizes[each] for each in (*chosen, other)]) <= 64:
                chosen.append(int(other))
        parents[f"v{place}"] = [f"v{each}" for each in chosen]
    network = dc.Network(variables, parents)
    tables = {each.node: generator.dirichlet([even] * each.levels, each.configurations) for each in network.families}
    records = dc.PointPosterior(network, tables).sample(rows + _TESTED, generator).with_columns(pl.all().cast(pl.String))
    return {"seed": seed, "sizes": sizes, "rows": rows, "epsilon": epsilon}, network, records, generator


def _measure(seed: int) -> dict[str, Any]:
    """Log-likelihood of every form on test records, and log-loss of a column that is predicted."""
    facts, network, records, generator = _world(seed)
    train, test = records[: facts["rows"]], records[facts["rows"] :]
    target = f"v{int(generator.integers(0, len(network.nodes)))}"
    levels = {level: place for place, level in enumerate(network.variable(target).levels)}
    truth = np.array([levels[each] for each in test[target].to_list()])
    found = {}
    for form in dict.fromkeys(_PLAIN + _FOR_TARGET):
        given = {"form": form.value, "target": target if form.has_target else None, "epsilon": facts["epsilon"]}
        posterior = prepare_whole(train, list(network.variables), ledger=dc.Ledger.unlimited(), **given).publish().posterior
        chance = posterior.predict_proba(test, target)[np.arange(len(truth)), truth]
        found[form.value] = [posterior.log_likelihood(test) / test.height, float(np.log(np.maximum(chance, 1e-6)).mean())]
    return {**facts, "target": target, "found": found}


def _lost(worlds: list[dict[str, Any]], forms: tuple[Form, ...], place: int) -> dict[str, list[float]]:
    """How far each form, and the one that auto takes, is from the best."""
    lost: dict[str, list[float]] = {}
    for world in worlds:
        sizes = {f"v{number}": size for number, size in enumerate(world["sizes"])}
        target = world["target"] if forms is _FOR_TARGET else None
        taken = choose_form(GraphFacts(sizes, world["rows"], dc.PureDP(world["epsilon"]), target), forms).form
        scores = {form: world["found"][form.value][place] for form in forms}
        for name, score in [("auto", scores[taken]), *((form.value, scores[form]) for form in forms)]:
            lost.setdefault(name, []).append(max(scores.values()) - score)
    return lost


def main() -> None:
    """Measure the worlds that are asked for, or print what was lost."""
    worlds = json.loads(_RESULTS.read_text()) if _RESULTS.exists() else []
    if sys.argv[1:]:
        warnings.simplefilter("ignore")
        for seed in range(*map(int, sys.argv[1:])):
            worlds = [*(world for world in worlds if world["seed"] != seed), _measure(seed)]
            _RESULTS.write_text("[\n" + ",\n".join(map(json.dumps, worlds)) + "\n]\n")
    for said, early in (("looked at while the rule was made", True), ("not looked at", False)):
        some = [world for world in worlds if (world["seed"] < _LOOKED_AT) == early]
        for what, forms, place in (("log-likelihood", _PLAIN, 0), ("log-loss of a target", _FOR_TARGET, 1)):
            print(f"{what}, {len(some)} worlds {said}: nats lost against the best form, mean and worst")
            for name, values in _lost(some, forms, place).items():
                print(f"  {name:12} {np.mean(values):.3f} {max(values):.3f}")


if __name__ == "__main__":
    main()
