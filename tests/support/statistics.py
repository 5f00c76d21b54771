"""One error rate for all statistical tests: a true hypothesis is rejected once in a million runs of a test."""

import numpy as np
from scipy.stats import chi2

ALPHA = 1e-6


def chi_square_p(observed: np.ndarray, probabilities: np.ndarray) -> float:
    """The p-value of Pearson's test; bins expecting fewer than ten are merged into their neighbours."""
    expected = probabilities * observed.sum()
    merged_observed, merged_expected, waiting_observed, waiting_expected = [], [], 0.0, 0.0
    for count, mean in zip(observed, expected, strict=True):
        waiting_observed += count
        waiting_expected += mean
        if waiting_expected >= 10:
            merged_observed.append(waiting_observed)
            merged_expected.append(waiting_expected)
            waiting_observed = waiting_expected = 0.0
    merged_observed[-1] += waiting_observed
    merged_expected[-1] += waiting_expected
    left, right = np.array(merged_observed), np.array(merged_expected)
    return float(chi2.sf(((left - right) ** 2 / right).sum(), len(left) - 1))
