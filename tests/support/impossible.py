"""A small network in which a combination is declared impossible, records that keep to it, and every mechanism for it."""

import polars as pl

from discreet import Network, Variable
from support.mechanisms import FOR_NETWORKS

SEX = Variable("sex", ["male", "female"])
PREGNANT = Variable("pregnant", ["no", "yes"])
WARD = Variable("ward", ["general", "birth"])
VARIABLES = [SEX, PREGNANT, WARD]
PARENTS = {"pregnant": ["sex"], "ward": ["sex", "pregnant"]}
IMPOSSIBLE = [{"sex": "male", "pregnant": "yes"}, {"sex": "female", "pregnant": "no", "ward": "birth"}]
NETWORK = Network(VARIABLES, PARENTS, impossible=IMPOSSIBLE)
FREE = Network(VARIABLES, PARENTS)
POSSIBLE = [
    ("male", "no", "general"),
    ("male", "no", "birth"),
    ("female", "no", "general"),
    ("female", "yes", "general"),
    ("female", "yes", "birth"),
]
_EVEN = {"sex": [[0.5, 0.5]], "pregnant": [[0.5, 0.5]] * 2}
POINTS = [{**_EVEN, "ward": [[share, 1 - share]] * 4} for share in (0.3, 0.6)]
MECHANISMS = {name: each for name, each in FOR_NETWORKS.items() if name != "candidates"}


def table(records):
    """Records as a table."""
    return pl.DataFrame(list(records), schema=["sex", "pregnant", "ward"], orient="row")


RECORDS = table(POSSIBLE * 8)
MALE_MOTHER = table([*POSSIBLE * 8, ("male", "yes", "birth")])
