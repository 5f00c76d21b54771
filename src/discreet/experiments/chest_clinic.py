"""A chest clinic: the eight-node ASIA network with its probabilities, and five questions that a physician might ask.

Network and probabilities are those of Lauritzen and Spiegelhalter, "Local computations with probabilities on graphical
structures and their application to expert systems", Journal of the Royal Statistical Society B 50 (1988).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from discreet.model.network import Network
from discreet.model.variable import Variable
from discreet.posterior.point import PointPosterior

__all__ = ["QUESTIONS", "Question", "chest_clinic"]

_PARENTS = {
    "tub": ["asia"],
    "lung": ["smoke"],
    "bronc": ["smoke"],
    "either": ["lung", "tub"],
    "xray": ["either"],
    "dysp": ["bronc", "either"],
}
_PROBABILITY_OF_YES = {  # by parent configuration, "yes" first, first parent slowest
    "asia": [0.01],
    "tub": [0.05, 0.01],
    "smoke": [0.5],
    "lung": [0.1, 0.01],
    "bronc": [0.6, 0.3],
    "either": [1.0, 1.0, 1.0, 0.0],
    "xray": [0.98, 0.05],
    "dysp": [0.9, 0.8, 0.7, 0.1],
}


def chest_clinic() -> PointPosterior:
    """The network with its true probabilities: a recent visit to Asia, smoking, three diseases, an x-ray, short breath."""
    network = Network([Variable(name, ["yes", "no"]) for name in _PROBABILITY_OF_YES], _PARENTS)
    return PointPosterior(network, {node: [[yes, 1 - yes] for yes in rows] for node, rows in _PROBABILITY_OF_YES.items()})


@dataclass(frozen=True, slots=True)
class Question:
    """A conditional probability, in words and in nodes."""

    words: str
    target: str
    given: Mapping[str, str]
    level: str = "yes"


QUESTIONS = (
    Question("lung cancer: smoker, abnormal x-ray", "lung", {"smoke": "yes", "xray": "yes"}),
    Question("lung cancer: non-smoker, abnormal x-ray", "lung", {"smoke": "no", "xray": "yes"}),
    Question("tuberculosis: abnormal x-ray, breathless", "tub", {"xray": "yes", "dysp": "yes"}),
    Question("bronchitis: smoker, breathless", "bronc", {"smoke": "yes", "dysp": "yes"}),
    Question("breathless: non-smoker, clear x-ray", "dysp", {"smoke": "no", "xray": "no"}),
)
