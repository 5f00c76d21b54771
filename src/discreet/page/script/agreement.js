// @ts-check
// Whether the chains behind the draws agree on an answer: rank-normalised split R-hat, as Python computes it.
//
// Draws of tables come from the chains in turn. Each chain counts as two, its halves, so that a drift is a disagreement; draws
// are replaced by the normal scores of their ranks, and folded about the median they show chains of unequal width.

const STILL = 1e-12;

/**
 * R-hat of the entry with the worst agreement.
 * @param {Float64Array} drawn For each entry all draws. @param {number} entries
 * @param {{outer: number, inner: number}} design
 * @param {number} chains
 * @param {Float64Array} scores Normal scores of whole and half ranks among the draws that are looked at.
 */
export function worstRHat(drawn, entries, { outer, inner }, chains, scores) {
  const rounds = Math.floor(outer / chains);
  const half = Math.floor(rounds / 2);
  let worst = 1;
  for (let entry = 0; entry < entries; entry++) {
    const start = entry * outer * inner;
    const values = splitChains((round, chain) => drawn[start + (round * chains + chain) * inner], rounds, chains);
    const centre = median(values);
    worst = Math.max(worst, rHat(rankScores(values, scores), half), rHat(rankScores(values.map((value) => Math.abs(value - centre)), scores), half));
  }
  return worst;
}

/** The halves of all chains, one after the other. @param {(round: number, chain: number) => number} at @param {number} rounds @param {number} chains */
function splitChains(at, rounds, chains) {
  const half = Math.floor(rounds / 2);
  const values = new Float64Array(2 * half * chains);
  let to = 0;
  for (let chain = 0; chain < chains; chain++) for (let round = 0; round < half; round++) values[to++] = at(round, chain);
  for (let chain = 0; chain < chains; chain++) for (let round = rounds - half; round < rounds; round++) values[to++] = at(round, chain);
  return values;
}

/** Normal scores of ranks; equal values share the score of their average rank. @param {Float64Array} values @param {Float64Array} scores */
function rankScores(values, scores) {
  const order = Uint32Array.from(values.keys()).sort((one, other) => values[one] - values[other]);
  const found = new Float64Array(values.length);
  for (let first = 0; first < order.length; ) {
    let end = first + 1;
    while (end < order.length && values[order[end]] === values[order[first]]) end++;
    for (let place = first; place < end; place++) found[order[place]] = scores[first + end - 1];
    first = end;
  }
  return found;
}

/** @param {Float64Array} scores Of sequences of equal length, one after the other. @param {number} length */
function rHat(scores, length) {
  const means = [];
  let within = 0;
  for (let start = 0; start < scores.length; start += length) {
    const own = scores.subarray(start, start + length);
    means.push(own.reduce((sum, value) => sum + value, 0) / length);
    within += spread(own, means[means.length - 1]);
  }
  within /= means.length;
  const between = spread(means, means.reduce((sum, value) => sum + value, 0) / means.length);
  if (within > STILL) return Math.sqrt((length - 1) / length + between / within);
  return between > STILL ? Infinity : 1;
}

/** @param {Float64Array | number[]} values @param {number} middle */
function spread(values, middle) {
  let sum = 0;
  for (const value of values) sum += (value - middle) ** 2;
  return sum / (values.length - 1);
}

/** @param {Float64Array} values */
function median(values) {
  const sorted = values.slice().sort();
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}
