"""Laws of cuts: by listing every set of cuts, and as the kernel would draw them, by following every way that it can go."""

import math
from fractions import Fraction
from itertools import combinations, pairwise

from discreet.kernel.draws import cut_points


def cut_error(table, cuts, whole=1):
    """How far the parts are from equal shares of what is in them, summed, in contributions: exact."""
    edges = (0, *cuts, len(table))
    parts = [Fraction(sum(table[low:high]), whole) for low, high in pairwise(edges)]
    share = sum(parts) / len(parts)
    return sum(abs(part - share) for part in parts)


def cut_sets(cells, cuts):
    """All sets of so many places between so many cells."""
    return list(combinations(range(1, cells), cuts))


def listed_law(table, cuts, epsilon, whole=1):
    """Set of cuts -> its probability, by the definition."""
    weights = {each: math.exp(-float(epsilon * cut_error(table, each, whole)) / 4) for each in cut_sets(len(table), cuts)}
    total = sum(weights.values())
    return {each: weight / total for each, weight in weights.items()}


def drawn_law(table, cuts, epsilon, whole=1, draw=cut_points.draw_cuts):
    """The same as the kernel draws it: the chances of its choices, multiplied along every way through them."""
    law, waiting, choose = {}, [[]], cut_points.choose
    while waiting:
        way, chances = waiting.pop(), []

        def follow(log_weights, _bits, way=way, chances=chances):
            logs = [float(each.mid()) for each in log_weights()]
            weights = [math.exp(log - max(logs)) for log in logs]
            taken = way[len(chances)] if len(chances) < len(way) else 0
            if len(chances) >= len(way):
                waiting.extend([*way, other] for other in range(1, len(weights)))
                way.append(0)
            chances.append(weights[taken] / sum(weights))
            return taken

        cut_points.choose = follow
        try:
            found = draw(table, cuts, epsilon, None, whole=whole)
        finally:
            cut_points.choose = choose
        assert found not in law
        law[found] = math.prod(chances)
    return law


def largest_log_ratio(one, other):
    """How much likelier the first law makes any set of cuts, as a logarithm."""
    return max(math.log(one[each] / other[each]) for each in one)
