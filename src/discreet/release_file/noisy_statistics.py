"""The shapes of noisy statistics of a network, by the names of their kinds.

The readers of these kinds check more than a shape can say: that tables are those of the network, and that the noise is what
the guarantee demands. A reader that wants its entries checked by the shape reads ``NOISY_STATISTICS[name]`` first.
"""

from __future__ import annotations

from discreet.measure.published import Repair
from discreet.model.files.plain_shapes import Constant, Integer, OneOf, Table, Text, Truth
from discreet.model.files.shape import FRACTION, Entry, ListOf, MapOf, Object, Shared
from discreet.model.files.strict_json import LARGEST_INTEGER
from discreet.release_file.kind import NOISE_MISFIT

__all__ = ["NOISY_STATISTICS", "OWN_COUNTS"]

_COUNT = Integer(-LARGEST_INTEGER, LARGEST_INTEGER - 1)
_NOISY = Integer(-LARGEST_INTEGER + 1, LARGEST_INTEGER - 1)
_COUNTS = Shared("counts", MapOf(Entry(Table(_COUNT, 2), "The table of {}")))
_NODES = ListOf(Text(1000))
_DIFFERENT = {"uniqueItems": True}
_ROWS = "node -> rows (parent configurations, first parent slowest) of levels."


def _law(name: str, says: str, **entries: Entry) -> Object:
    law = Entry(Constant(name, NOISE_MISFIT), says=says)
    return Object({"law": law, **entries})


_LAPLACE = "P(k) proportional to exp(-|k| / scale) on the integers, independent in every number."
_SAME_LAPLACE = Shared("noise", _law("discrete-laplace", _LAPLACE, scale=Entry(FRACTION)))

_FAMILY_COUNTS = Object(
    {
        "noise": Entry(_SAME_LAPLACE, "The noise"),
        "tables": Entry(_COUNTS, says=f"Noisy counts before clamping: {_ROWS}"),
    },
    constants={"kind": Constant("family-counts")},
)

_SCALES = (
    "Node -> scale of the noise on each count of its table; 2 over the scale is the table's share of epsilon, and the "
    "shares sum to epsilon."
)
_MAXIMAL_COUNTS = Object(
    {
        "noise": Entry(
            _law("discrete-laplace", _LAPLACE, scales=Entry(MapOf(FRACTION, least=1), says=_SCALES)),
            "The noise",
        ),
        "tables": Entry(_COUNTS, says=f"Noisy counts of the families that no other family contains: {_ROWS}"),
        "consistent": Entry(
            Truth(),
            says="Whether the tables are to be fused by least squares into tables that agree and are not negative.",
            refusal="The statistics must say whether they are consistent: true or false.",
        ),
    },
    constants={"kind": Constant("maximal-counts")},
)

_SENSITIVITY = (
    "How far one replaced record can move the odd counts, each move counted with its weight; the scale is this over epsilon."
)
_ODD = "For each set, the noisy number of records in which an odd number of its nodes shows its second level."
_PARITIES = Object(
    {
        "noise": Entry(_SAME_LAPLACE, "The noise"),
        "sensitivity": Entry(Integer(1), "The sensitivity", _SENSITIVITY),
        "sets": Entry(
            Table(Integer(0), 2),
            "The sets",
            "The non-empty sets of the downward closure, as places of nodes in the network.",
        ),
        "weights": Entry(
            Table(Integer(1), 1),
            "The weights",
            "For each set, its weight: the noise on its odd count has the scale divided by this.",
        ),
        "odd": Entry(Table(_COUNT, 1), "The odd counts", _ODD),
        "repair": Entry(
            OneOf.of(Repair), refusal="The repair of the statistics is not known to this version. Update discreet."
        ),
        "increment": Entry(Integer(0), "The increment"),
    },
    constants={"kind": Constant("parities")},
)

_KNORM = (
    "For each bundle a real vector z with density proportional to exp(-norm(z) epsilon / 2), epsilon the bundle's "
    "share, rounded to integers; norm is the largest over the groups of the sum over the blocks of the largest over the"
    " parts of the L1 norm."
)
_CHILDREN = "Of a binary child the block has one number, first level minus second; of any other the counts of all levels."
_GROUP = Object(
    {
        "parents": Entry(_NODES, "The nodes of a group", also=_DIFFERENT),
        "counted": Entry(Truth(), says="Whether a block begins with the number of records in its configuration."),
        "children": Entry(_NODES, "The nodes of a group", _CHILDREN, also=_DIFFERENT),
        "blocks": Entry(Table(_NOISY, 2), "The blocks", "One row for each configuration of the parents, the first slowest."),
    }
)
_BUNDLE = Object(
    {
        "epsilon": Entry(FRACTION, "A share of epsilon", "The bundle's share; the shares sum to epsilon."),
        "groups": Entry(ListOf(Entry(_GROUP, "A group"), least=1), "The groups"),
    }
)
_BLOCKS = Object(
    {
        "noise": Entry(_law("rounded-k-norm", _KNORM), "The noise"),
        "bundles": Entry(ListOf(Entry(_BUNDLE, "A bundle"), least=1), "The bundles"),
    },
    constants={"kind": Constant("blocks")},
)


def _margins(kind: str, noise: Object, parameter: str, says: str) -> Object:
    """Counts of margins, every number with noise of its own; what each cost follows from one parameter."""
    margin = Object(
        {
            "nodes": Entry(_NODES, "The nodes of a margin", also={"minItems": 1, **_DIFFERENT}),
            parameter: Entry(FRACTION, f"The {parameter} of a margin", says),
            "counts": Entry(
                Table(_NOISY, 1),
                "The counts of a margin",
                "Noisy counts of the combinations of levels, the first node slowest.",
            ),
        }
    )
    return Object(
        {
            "noise": Entry(noise, "The noise"),
            "margins": Entry(ListOf(Entry(margin, "A margin"), least=1), "The margins"),
        },
        constants={"kind": Constant(kind)},
    )


_GAUSSIAN = "P(k) proportional to exp(-k^2 / (2 variance)) on the integers, independent in every number."
_MARGINS = _margins(
    "margins",
    _law("discrete-gaussian", _GAUSSIAN),
    "variance",
    "The parameter of the margin's noise; the inverses sum to rho.",
)
_LAPLACE_MARGINS = _margins(
    "laplace-margins",
    _law("discrete-laplace", _LAPLACE),
    "scale",
    "Of the margin's noise; 2 over the scale is the margin's share of epsilon, and the shares sum to epsilon.",
)

NOISY_STATISTICS = {
    str(shape.constants["kind"].value): shape
    for shape in (_FAMILY_COUNTS, _MAXIMAL_COUNTS, _PARITIES, _BLOCKS, _MARGINS, _LAPLACE_MARGINS)
}
OWN_COUNTS = Object(
    {
        "rows": Entry(Integer(1), "The number of added records"),
        "tables": MapOf(Entry(Table(Integer(0), 2), "The table of {}")),
    }
)
"""Records that a holder added to such a release."""
