// @ts-check
// From draws to what is shown: the ends of an interval, and which share of it is privacy.

/**
 * Of each level of a node, or each cell of a table. Ends and share are empty where nobody can tell.
 * @typedef {object} Summary
 * @property {Float64Array} probability
 * @property {Float64Array} lower
 * @property {Float64Array} upper
 * @property {Float64Array} privacy
 */

/**
 * @param {Float64Array} probability
 * @param {Float64Array} drawn For each entry all draws, those of the same tables next to one another.
 * @param {{outer: number, inner: number, interval: number}} design
 * @returns {Summary}
 */
export function summarise(probability, drawn, design) {
  const count = design.outer * design.inner;
  const entries = count ? probability.length : 0;
  const split = design.inner > 1;
  const lower = new Float64Array(entries);
  const upper = new Float64Array(entries);
  const privacy = new Float64Array(split ? entries : 0);
  const tail = (1 - design.interval) / 2;
  for (let entry = 0; entry < entries; entry++) {
    const values = drawn.slice(entry * count, (entry + 1) * count);
    if (split) privacy[entry] = privacyShare(values, design.outer, design.inner);
    values.sort();
    lower[entry] = quantile(values, tail);
    upper[entry] = quantile(values, 1 - tail);
  }
  return { probability, lower, upper, privacy };
}

/**
 * How far two answers about the same node are apart, for one level: the first minus the second, and the first by the second.
 * @typedef {{value: number, lower?: number, upper?: number}} Contrast
 * @typedef {{difference: Contrast, ratio: Contrast, privacy?: number}} Comparison
 */

/**
 * @param {number} one @param {number} other At the mean tables.
 * @param {Float64Array} drawn Of the first, @param {Float64Array} against and of the second, at the same draws; or none.
 * @param {number} interval
 * @returns {Comparison}
 */
export function contrast(one, other, drawn, against, interval) {
  const difference = { value: one - other };
  const ratio = { value: one / other };
  if (!drawn.length) return { difference, ratio };
  const apart = drawn.map((value, draw) => value - against[draw]);
  const times = drawn.map((value, draw) => value / against[draw]);
  return { difference: { ...difference, ...ends(apart, interval) }, ratio: { ...ratio, ...ends(times, interval) } };
}

/** Ends that were drawn, as nothing is between a finite ratio and an infinite one. @param {Float64Array} values @param {number} interval */
function ends(values, interval) {
  const tail = (1 - interval) / 2;
  const sorted = values.slice().sort();
  const at = (/** @type {number} */ place) => sorted[Math.max(Math.ceil(sorted.length * place - 1), 0)];
  return { lower: at(tail), upper: at(1 - tail) };
}

/** @param {Float64Array} sorted @param {number} place */
export function quantile(sorted, place) {
  const index = (sorted.length - 1) * place;
  const below = Math.floor(index);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (index - below);
}

/**
 * Which share of the variance lies between draws of the tables: the analysis of variance in one way.
 * @param {Float64Array} values @param {number} outer @param {number} inner
 */
export function privacyShare(values, outer, inner) {
  const means = new Float64Array(outer);
  let within = 0;
  for (let group = 0; group < outer; group++) {
    const own = values.subarray(group * inner, (group + 1) * inner);
    means[group] = mean(own);
    within += variance(own, means[group]);
  }
  within /= outer;
  const between = Math.max(variance(means, mean(means)) - within / inner, 0);
  return between + within > 0 ? between / (between + within) : 0;
}

/** @param {Float64Array} values */
function mean(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** @param {Float64Array} values @param {number} middle */
function variance(values, middle) {
  let sum = 0;
  for (const value of values) sum += (value - middle) ** 2;
  return sum / (values.length - 1);
}
