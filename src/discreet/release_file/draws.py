"""Draws from a posterior in a release file: grid points as integers, with the law that they were drawn by."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import ZCDP, Guarantee, PureDP
from discreet.measure.strategies.draw_law import DrawLaw, keeps
from discreet.model.files.plain_shapes import Constant
from discreet.model.files.shape import FRACTION, Entry, Object, OrNull
from discreet.posterior.draws import PosteriorDraws
from discreet.release_file.kind import NOISE_MISFIT, FileTerms, Kind, approximate_budget, pure_epsilon, zcdp_rho
from discreet.release_file.networks import network_entries, network_facts, network_from_entries
from discreet.release_file.tables import SPLITS, check_floor, splits_of

__all__ = ["KIND"]

_FLOOR = "Split probabilities were kept in [floor, 1 - floor], a multiple of 2^-32; null where they were not."
_STATISTICS = Object(
    {
        "floor": Entry(OrNull(FRACTION), "The floor", _FLOOR),
        "temper": Entry(FRACTION, "The temper", "Exponent of the likelihood."),
        "splits": SPLITS,
    },
    constants={"kind": Constant("draws")},
)


def _write(posterior: PosteriorDraws) -> dict[str, Any]:
    law = posterior.law
    statistics = {"floor": law.floor or None, "temper": law.temper, "splits": posterior.splits}
    return {
        "rows": posterior.rows,
        **network_entries(posterior.network, posterior.prior),
        "statistics": _STATISTICS.write(statistics),
    }


def _read(entries: Mapping[str, Any], terms: FileTerms) -> PosteriorDraws:
    network, prior = network_from_entries(entries)
    content = _STATISTICS.read(entries["statistics"], "The statistics")
    law = DrawLaw(check_floor(content["floor"] or Fraction(0)), content["temper"])
    splits = splits_of(content["splits"], network, law.floor)
    posterior = PosteriorDraws(network, prior, law, splits, terms.rows)
    fits = terms.mechanism.parameters["draws"] == str(posterior.released_draws) and law.temper <= 1
    if not (fits and keeps(law, network, prior, _promised(terms), posterior.released_draws)):
        raise FormatError(NOISE_MISFIT)
    return posterior


def _promised(terms: FileTerms) -> Guarantee:
    """The guarantee, which must be of the kind that the mechanism gives and have the budget that it was given."""
    match terms.mechanism.name:
        case "sampler":
            return PureDP(pure_epsilon(terms))
        case "sampler-zcdp":
            return ZCDP(zcdp_rho(terms))
    approximate_budget(terms)
    return terms.guarantee


def _describe(posterior: PosteriorDraws) -> dict[str, Any]:
    floor = posterior.law.floor
    return {
        "rows": posterior.rows,
        "network": network_facts(posterior.network),
        "draws": posterior.released_draws,
        "floor": f"{float(floor):.6g}" if floor else "none",
        "temper": f"{float(posterior.law.temper):.6g}",
    }


KIND = Kind(
    _STATISTICS,
    {
        "sampler": ("epsilon", "draws"),
        "sampler-zcdp": ("rho", "draws"),
        "sampler-renyi": ("epsilon", "delta", "draws"),
    },
    ("network", "prior"),
    lambda value: isinstance(value, PosteriorDraws),
    _write,
    _read,
    _describe,
)
