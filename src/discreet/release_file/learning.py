"""The entry ``learning`` of a release file: what was published on the way to a learned graph, and what that cost."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.errors import FormatError
from discreet.guarantee import ZCDP, PureDP
from discreet.measure.laws import GaussianNoise, KNormNoise
from discreet.measure.learning import Learning, Stage, amount_of
from discreet.measure.pairs import PairForm
from discreet.model.files.plain_shapes import Text
from discreet.model.files.shape import FRACTION, Entry, ListOf, Object, OrNull, Tagged
from discreet.model.network import Network
from discreet.release_file.blocks import BLOCKS, block_parts, read_blocks
from discreet.release_file.kind import NOISE_MISFIT
from discreet.release_file.margins import GAUSSIAN_MARGINS, margin_parts, read_margins
from discreet.release_file.pairs import PAIRS, pair_parts, read_pairs

__all__ = ["LEARNING", "learning_of", "learning_to_json", "read_learning"]

_CHOICES = "What all choices cost together: epsilon beside blocks, rho beside margins; null where nothing was chosen."
_STAGES = "What was measured, with noise of its own in every stage; of nodes of the network, whatever its families."
_MARGINS = GAUSSIAN_MARGINS.statistics
_UNKNOWN = "{} is of a kind that is not known to this version. Update discreet."


class _BlockStage(dict[str, Any]):
    """The entries of a stage of blocks."""


class _MarginStage(dict[str, Any]):
    """The entries of a stage of margins."""


class _PairStage(dict[str, Any]):
    """The entries of a stage of all pairs."""


def _as(made: type[dict[str, Any]], shape: Object) -> Object:
    """The same shape, whose values have a type of their own: by it they are known again, and written."""
    return Object(shape.entries, made, shape.constants)


_STAGE = Tagged("kind", (_as(_BlockStage, BLOCKS), _as(_MarginStage, _MARGINS), _as(_PairStage, PAIRS)), _UNKNOWN)
LEARNING = Entry(
    Object(
        {
            "form": Entry(Text(100), "The form of the graph", "What was looked for, such as tree."),
            "choices": Entry(OrNull(FRACTION), "What choices cost", _CHOICES),
            "stages": Entry(ListOf(Entry(_STAGE, "A stage of learning"), least=1), "The stages of learning", _STAGES),
        }
    ),
    "How the graph was learned",
    "Of a graph that was learned from the same records: what that has published besides, for all receipts but the last.",
)


def learning_to_json(learning: Learning) -> dict[str, Any]:
    """The entry, as JSON can carry it."""
    choices = None if learning.choices is None else amount_of(learning.choices)
    return {
        "form": learning.form,
        "choices": OrNull(FRACTION).write(choices),
        "stages": [_stage_to_json(stage) for stage in learning.stages],
    }


def _stage_to_json(stage: Stage) -> dict[str, Any]:
    if stage.pairs is not None:
        return PAIRS.write(pair_parts(stage.pairs))
    laws = {type(each.law) for each in stage.measurements}
    if laws == {KNormNoise}:
        return BLOCKS.write(block_parts(stage.measurements))
    if laws == {GaussianNoise}:
        return _MARGINS.write(margin_parts(GAUSSIAN_MARGINS, stage.measurements))
    raise FormatError("What was measured on the way to the graph has noise that cannot be saved. Update discreet.")


def read_learning(content: object, network: Network, rows: int) -> Learning:
    """What a file says about the way to its graph; the costs are those of the noise, which it need not be told."""
    return learning_of(LEARNING.read(content, "The release"), network, rows)


def learning_of(said: Mapping[str, Any], network: Network, rows: int) -> Learning:
    """The same of an entry that was read."""
    stages = tuple(_read_stage(stage, network, rows) for stage in said["stages"])
    kinds = {type(stage.cost) for stage in stages}
    if len(kinds) != 1:
        raise FormatError(NOISE_MISFIT)
    choices = None if said["choices"] is None else kinds.pop()(said["choices"])
    return Learning(said["form"], stages, choices)


def _read_stage(said: Mapping[str, Any], network: Network, rows: int) -> Stage:
    if isinstance(said, _BlockStage):
        bundles, measurements = read_blocks(said, network)
        return Stage(measurements, PureDP(sum((bundle.epsilon for bundle in bundles), Fraction(0))))
    if isinstance(said, _PairStage):
        pairs = read_pairs(said, network, rows)
        return Stage((), PureDP(pairs.cost) if pairs.form is PairForm.WISHART else ZCDP(pairs.cost), pairs)
    found, spent = read_margins(GAUSSIAN_MARGINS, said, network)
    return Stage(found, ZCDP(spent))
