// @ts-check
// What a page of a release finds out: everything that is shown about every node, given what is known of a record.
import { worstRHat } from "./agreement.js";
import { decodeFamilies, decodeFloats } from "./decode.js";
import { makeEngine } from "./engine.js";
import { contrast, privacyShare, summarise } from "./summary.js";

/** @typedef {import("./summary.js").Summary} Summary */
/** @typedef {import("./summary.js").Comparison} Comparison */
/** @typedef {import("./elimination.js").Known} Known */
/** @typedef {import("./engine.js").GoOn} GoOn */
/**
 * Of every node: its summary, its values at the draws where these were computed, and R-hat where chains do not agree on it.
 * @typedef {object} Findings
 * @property {Summary[]} summaries
 * @property {(Float64Array | null)[]} drawn
 * @property {(number | null)[]} rough
 */
/**
 * Whoever can be asked about a network. A first answer, without intervals, may come early.
 * @typedef {object} Asker
 * @property {(known: Known, asked: number, goOn?: GoOn, early?: (first: Findings) => void) => Promise<Findings | "impossible" | null>} ask
 * @property {(one: Findings, other: Findings, node: number, level: number) => Comparison} compare
 * @property {(node: number) => Summary} table
 * @property {(node: number, row: number) => number | null} roughRow R-hat of a row of a table where chains do not agree on it.
 */

/** @param {import("./decode.js").NetworkRelease} release @returns {Asker} */
export function makeAsker(release) {
  const families = decodeFamilies(release);
  const engine = makeEngine(release.order, families);
  const design = { outer: release.outer, inner: release.inner, interval: release.interval };
  const { agreement } = release;
  const scores = agreement === null ? new Float64Array(0) : decodeFloats(agreement.scores);

  /** @param {Float64Array | null} drawn @param {number} entries */
  function roughness(drawn, entries) {
    if (agreement === null || drawn === null) return null;
    const found = worstRHat(drawn, entries, design, agreement.chains, scores);
    return found > agreement.limit ? found : null;
  }

  return {
    ask: (known, asked, goOn, early) => findOut(engine, design, known, asked, roughness, goOn, early),
    compare: (one, other, node, level) => compareFindings(design, one, other, node, level),
    table: (node) => summarise(families[node].mean, families[node].draws, design),
    roughRow(node, row) {
      const levels = release.nodes[node].levels.length;
      const size = levels * design.outer * design.inner;
      return roughness(families[node].draws.subarray(row * size, (row + 1) * size), levels);
    },
  };
}

/** How many draws there are: so many of tables, each with so many of the parameters. @typedef {{outer: number, inner: number, interval: number}} Design */

/**
 * @param {import("./engine.js").Engine} engine @param {Design} design @param {Known} known @param {number} asked
 * @param {(drawn: Float64Array | null, entries: number) => number | null} roughness
 * @param {GoOn} [goOn] @param {(first: Findings) => void} [early]
 * @returns {Promise<Findings | "impossible" | null>}
 */
export async function findOut(engine, design, known, asked, roughness, goOn = () => true, early = () => {}) {
  const means = await engine.means(known);
  if (means === "impossible") return means;
  const bare = means.map((mean) => withoutEnds(mean));
  const nothing = means.map(() => null);
  const count = design.outer * design.inner;
  if (!count) return { summaries: bare, drawn: nothing, rough: nothing };
  // Where intervals take a while, bars do not wait for them.
  const soon = setTimeout(() => early({ summaries: bare, drawn: nothing, rough: nothing }), 80);
  const drawn = await engine.draws(known, asked, count, goOn);
  clearTimeout(soon);
  if (drawn === null || drawn === "impossible") return drawn;
  const summaries = drawn.map((values, node) => (values === null ? bare[node] : summarise(means[node], values, design)));
  return { summaries, drawn, rough: drawn.map((values, node) => roughness(values, means[node].length)) };
}

/** @param {Design} design @param {Findings} one @param {Findings} other @param {number} node @param {number} level @returns {Comparison} */
export function compareFindings(design, one, other, node, level) {
  const count = design.outer * design.inner;
  const [first, second] = [one, other].map(({ drawn }) => drawn[node]?.subarray(level * count, (level + 1) * count) ?? null);
  const [probability, against] = [one, other].map(({ summaries }) => summaries[node].probability[level]);
  if (first === null || second === null) return contrast(probability, against, new Float64Array(0), new Float64Array(0), design.interval);
  const found = contrast(probability, against, first, second, design.interval);
  if (design.inner < 2) return found;
  return { ...found, privacy: privacyShare(first.map((value, draw) => value - second[draw]), design.outer, design.inner) };
}

/** A summary without intervals. @param {Float64Array} probability @returns {Summary} */
export function withoutEnds(probability) {
  const none = new Float64Array(0);
  return { probability, lower: none, upper: none, privacy: none };
}
