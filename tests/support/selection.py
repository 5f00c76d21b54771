"""The exact laws of private choices, and a purse that replays what was published before."""

import math
from fractions import Fraction

from discreet.guarantee import PureDP
from discreet.kernel.stages import selection_epsilon


def choice_law(scores, epsilon, sensitivity, *, pure):
    """The exact probabilities of permute-and-flip, or of the exponential mechanism."""
    weights = [math.exp(float(epsilon) * (score - max(scores)) / (2 * sensitivity)) for score in scores]
    if not pure:
        return [weight / sum(weights) for weight in weights]
    found = [0.0] * len(scores)

    def walk(waiting, chance):
        for place in waiting:
            found[place] += chance / len(waiting) * weights[place]
            rest = [each for each in waiting if each != place]
            if weights[place] < 1:
                walk(rest, chance / len(waiting) * (1 - weights[place]))

    walk(list(range(len(scores))), 1.0)
    return found


class FrozenPurse:
    """Publishes what it was told, makes the choices that it was told, and notes all that it was asked."""

    def __init__(self, published, choices):
        self.published, self.choices = list(published), list(choices)
        self.asked, self.laws, self.costs, self.statistics = [], [], [], []
        self.left = Fraction(0)

    def publish(self, statistics, cost):
        """The next frozen numbers, in the place of statistics and noise."""
        self.costs.append(cost)
        self.statistics.append(statistics)
        given = self.published.pop(0)
        return {name: given[name] for name in statistics}

    def select(self, scores, sensitivity, cost):
        """The next frozen choice; its exact law is kept."""
        self.costs.append(cost)
        self.asked.append(list(scores))
        epsilon = selection_epsilon(cost)
        self.laws.append(choice_law(scores, epsilon, sensitivity, pure=isinstance(cost, PureDP)))
        return min(self.choices.pop(0), len(scores) - 1)
