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
 */

/** @param {import("./decode.js").NetworkRelease} release @returns {Asker} */
export function makeAsker(release) {
  const families = decodeFamilies(release);
  const engine = makeEngine(release.order, families);
  const design = { outer: release.outer, inner: release.inner, interval: release.interval };
  const count = design.outer * design.inner;
  const { agreement } = release;
  const scores = agreement === null ? new Float64Array(0) : decodeFloats(agreement.scores);

  /** @param {Float64Array | null} drawn @param {Summary} summary */
  function roughness(drawn, summary) {
    if (agreement === null || drawn === null) return null;
    const found = worstRHat(drawn, summary.probability.length, design, agreement.chains, scores);
    return found > agreement.limit ? found : null;
  }

  return {
    async ask(known, asked, goOn = () => true, early = () => {}) {
      const means = await engine.means(known);
      if (means === "impossible") return means;
      const bare = means.map((mean) => withoutEnds(mean));
      const nothing = means.map(() => null);
      if (!count) return { summaries: bare, drawn: nothing, rough: nothing };
      early({ summaries: bare, drawn: nothing, rough: nothing });
      const drawn = await engine.draws(known, asked, count, goOn);
      if (drawn === null || drawn === "impossible") return drawn;
      const summaries = drawn.map((values, node) => (values === null ? bare[node] : summarise(means[node], values, design)));
      return { summaries, drawn, rough: drawn.map((values, node) => roughness(values, summaries[node])) };
    },
    compare(one, other, node, level) {
      const [first, second] = [one, other].map(({ drawn }) => drawn[node]?.subarray(level * count, (level + 1) * count) ?? new Float64Array(0));
      const both = first.length && second.length ? [first, second] : [new Float64Array(0), new Float64Array(0)];
      const probabilities = [one, other].map(({ summaries }) => summaries[node].probability[level]);
      const found = contrast(probabilities[0], probabilities[1], both[0], both[1], design.interval);
      if (design.inner < 2 || !both[0].length) return found;
      return { ...found, privacy: privacyShare(first.map((value, draw) => value - second[draw]), design.outer, design.inner) };
    },
    table: (node) => summarise(families[node].mean, families[node].draws, design),
  };
}

/** A summary without intervals. @param {Float64Array} probability @returns {Summary} */
export function withoutEnds(probability) {
  const none = new Float64Array(0);
  return { probability, lower: none, upper: none, privacy: none };
}
