// @ts-check
// What would be known of every table at an epsilon, from records that were simulated: draws of the tables, and who answers
// from them as from those of a release.
//
// As behind a release, what could be behind noisy counts is drawn first, and then the parameters given that. Random numbers
// stay the same at every epsilon, so that whiskers move with the slider and not by chance.
import { decodeBytes, decodeFloats } from "./decode.js";
import { makeEngine } from "./engine.js";
import { compareFindings, findOut, withoutEnds } from "./findings.js";
import { drawNormals, drawUniforms, gammaDraw, truncatedDraw } from "./laws.js";
import { quantile } from "./summary.js";

/** @typedef {import("./decode.js").Family} Family */
/** @typedef {import("./elimination.js").Known} Known */
/**
 * @typedef {object} Example
 * @property {number} outer Draws of tables.
 * @property {string} counts Of every cell of every family; -1 where it is declared impossible.
 * @property {string} noise For each epsilon and node the variance of a cell, and of a row's total.
 * @property {{of: string, epsilons: number[], costs: [number, number, number, number][][]}} edges
 */
/** @typedef {import("./decode.js").Drawing & import("./decode.js").Declared & Example & {interval: number}} NetworkPlan */
/** The variance of the noise in a cell, and in the total of a row. @typedef {[number, number]} Noise */

const INNER = 2;

/** @param {NetworkPlan} plan */
export function makePlanAsker(plan) {
  const noise = new Float32Array(decodeBytes(plan.noise));
  const families = makeFamilies(plan);
  const cells = families.reduce((sum, family) => sum + family.cells, 0);
  const chance = { uniforms: drawUniforms(cells * plan.outer), normals: drawNormals(cells * plan.outer * INNER) };
  const counts = splitCounts(families, decodeFloats(plan.counts));
  const design = { outer: plan.outer, inner: INNER, interval: plan.interval };
  const count = design.outer * design.inner;
  const tail = (1 - plan.interval) / 2;

  /** @param {number | null} place Which epsilon; null for no noise at all. */
  function engineAt(place) {
    const start = 2 * (place ?? 0) * families.length;
    let from = 0;
    const filled = families.map((family) => {
      const at = start + 2 * family.node;
      const made = fillFamily(family, counts[family.node], place === null ? [0, 0] : [noise[at], noise[at + 1]], chance, from, plan.outer);
      from += family.cells;
      return made;
    });
    return makeEngine(plan.order, filled);
  }

  let engine = engineAt(0);
  return {
    /** @param {number} place */
    choose(place) {
      engine = engineAt(place);
    },
    /** How wide the interval of one probability is at an epsilon, or without any noise. @param {number | null} place @param {Known} known @param {number} node @param {number} level */
    async width(place, known, node, level) {
      const drawn = await engineAt(place).draws(known, node, count, () => true);
      if (drawn === null || drawn === "impossible") return null;
      const sorted = /** @type {Float64Array} */ (drawn[node]).slice(level * count, (level + 1) * count).sort();
      return quantile(sorted, 1 - tail) - quantile(sorted, tail);
    },
    /** @type {import("./findings.js").Asker["ask"]} */
    ask: (known, asked, goOn, early) => findOut(engine, design, known, asked, () => null, goOn, early),
    /** @type {import("./findings.js").Asker["compare"]} */
    compare: (one, other, node, level) => compareFindings(design, one, other, node, level),
    /** @type {import("./findings.js").Asker["table"]} */
    table: (node) => withoutEnds(families[node].mean),
    roughRow: () => null,
  };
}

/** @param {NetworkPlan} plan @returns {Family[]} */
function makeFamilies(plan) {
  return plan.nodes.map((entry, node) => {
    const members = [...entry.parents, node];
    const shape = members.map((member) => plan.nodes[member].levels.length);
    const cells = shape.reduce((product, size) => product * size, 1);
    return { node, members, shape, cells, mean: new Float64Array(cells), draws: new Float64Array(0) };
  });
}

/** @param {Family[]} families @param {Float64Array} all */
function splitCounts(families, all) {
  let start = 0;
  return families.map(({ cells }) => all.subarray(start, (start += cells)));
}

/**
 * The same family with tables as they would be known.
 * @param {Family} family @param {Float64Array} counts @param {Noise} noise
 * @param {{uniforms: Float64Array, normals: Float64Array}} chance @param {number} from Cells of families before. @param {number} outer
 * @returns {Family}
 */
function fillFamily(family, counts, noise, chance, from, outer) {
  const levels = family.shape[family.shape.length - 1];
  const all = outer * INNER;
  const mean = new Float64Array(family.cells);
  const draws = new Float64Array(family.cells * all);
  const behind = new Float64Array(levels);
  for (let start = 0; start < family.cells; start += levels) {
    const row = counts.subarray(start, start + levels);
    const spreads = spreadsOf(row, noise);
    for (let table = 0; table < outer; table++) {
      drawCounts(behind, row, spreads, (level) => chance.uniforms[(from + start + level) * outer + table]);
      let whole = 0;
      for (let level = 0; level < levels; level++) whole += behind[level];
      for (let level = 0; level < levels; level++) mean[start + level] += behind[level] / (whole || 1) / outer;
      for (let inner = 0; inner < INNER; inner++) {
        const at = table * INNER + inner;
        let sum = 0;
        for (let level = 0; level < levels; level++) {
          const to = (start + level) * all + at;
          sum += draws[to] = gammaDraw(behind[level], chance.normals[(from + start + level) * all + at]);
        }
        for (let level = 0; sum > 0 && level < levels; level++) draws[(start + level) * all + at] /= sum;
      }
    }
  }
  return { ...family, mean, draws };
}

/**
 * How unsure noise leaves each count of a row, as standard deviations: that of the count less its share of the row's total.
 * @param {Float64Array} row @param {Noise} noise
 */
function spreadsOf(row, [cell, total]) {
  const levels = row.length;
  const apart = (Math.max(0, cell - total / levels ** 2) * levels) / (levels - 1);
  const possible = row.reduce((sum, value) => sum + (value >= 0 ? 1 : 0), 0);
  const records = row.reduce((sum, value) => sum + Math.max(value, 0), 0);
  return row.map((value) => {
    const share = (Math.max(value, 0) + 1) / (records + possible);
    const hidden = apart * (1 - 1 / levels) + total * (1 / levels - share) ** 2;
    // Counts are drawn one by one and scaled to the row's total, which takes away a part of what they vary; two go together.
    return Math.sqrt(levels === 2 ? hidden : hidden / (1 - 2 * share + levels * share ** 2));
  });
}

/**
 * Dirichlet parameters of a row given what could be behind its noisy counts: none of them negative, and their total as it is.
 * @param {Float64Array} behind Written to. @param {Float64Array} row @param {Float64Array} spreads @param {(level: number) => number} uniform
 */
function drawCounts(behind, row, spreads, uniform) {
  const records = row.reduce((sum, value) => sum + Math.max(value, 0), 0);
  if (row.length === 2 && row[0] >= 0 && row[1] >= 0) {
    behind[0] = truncatedDraw(row[0], spreads[0], records, uniform(0));
    behind[1] = records - behind[0];
  } else {
    for (let level = 0; level < row.length; level++) behind[level] = row[level] < 0 ? 0 : truncatedDraw(row[level], spreads[level], records, uniform(level));
  }
  const sum = behind.reduce((all, value) => all + value, 0);
  const scale = sum > 0 ? records / sum : 0;
  for (let level = 0; level < row.length; level++) behind[level] = row[level] < 0 ? 0 : 1 + behind[level] * scale;
}
