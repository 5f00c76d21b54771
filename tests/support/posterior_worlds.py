"""Exact densities of truncated posteriors in small worlds: how far one record moves the law of a draw."""

import numpy as np
import polars as pl

from discreet.counts import family_counts
from discreet.mechanisms.split_shapes import split_shapes

POINTS = 1001


def frame(network, data):
    return pl.DataFrame(list(data), schema=dict.fromkeys(network.nodes, pl.String), orient="row")


def shapes_of(network, data, base, exponent):
    """Beta parameters of all splits, as the mechanisms compute them, as one list."""
    shapes = split_shapes(family_counts(frame(network, data), network), base, exponent)
    return [pair for node in network.nodes for row in shapes[node] for pair in row]


def log_densities(shapes, floor):
    """Log densities of truncated Beta variables on a grid with both ends, normalised by Simpson's rule."""
    low = float(floor)
    places = np.linspace(low, 1 - low, POINTS)
    weights = np.ones(POINTS)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    weights *= (places[1] - places[0]) / 3
    first, second = (np.array([float(pair[side]) for pair in shapes])[:, None] for side in (0, 1))
    logs = (first - 1) * np.log(places) + (second - 1) * np.log1p(-places)
    top = logs.max(axis=1, keepdims=True)
    return logs - top - np.log(np.exp(logs - top) @ weights)[:, None]


def largest_log_ratio(mine, others, floor):
    """The largest log ratio of the joint densities of all splits, over all values: the splits are independent."""
    return float((log_densities(mine, floor) - log_densities(others, floor)).max(axis=1).sum())
