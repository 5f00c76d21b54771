// @ts-check
// Asking: evidence in, the distribution of every node out, from all draws in the file.
//
// Evidence is about one new record. It says nothing about the parameters, so all draws count alike whatever they make of it.
import { decodeFamilies } from "./decode.js";
import { planTree } from "./elimination.js";
import { makeSpace, propagate } from "./propagate.js";
import { summarise } from "./summary.js";

/** @typedef {import("./summary.js").Summary} Summary */
/** @typedef {Map<number, number>} Evidence Node to the number of its observed level. */

// As many draws at a time as fit into the processor's cache; of wide networks, as fit into a browser's memory.
const CACHE_CELLS = 2 ** 17;
const MEMORY_CELLS = 2 ** 22;
const PATIENCE = 40;

/**
 * @param {import("./decode.js").NetworkRelease} release
 */
export function makeEngine(release) {
  const families = decodeFamilies(release);
  const design = { outer: release.outer, inner: release.inner, interval: release.interval };
  const count = design.outer * design.inner;

  /**
   * @param {Evidence} evidence
   * @param {number} draws How many there are; 1 for the mean tables.
   * @param {(family: import("./decode.js").Family) => Float64Array} values
   * @param {(done: number) => boolean} goOn Told how much is done; answers whether anybody still wants to know.
   */
  async function distributions(evidence, draws, values, goOn) {
    const tree = planTree(families, release.order, evidence);
    const fitting = Math.floor(CACHE_CELLS / Math.max(tree.cells, 1)) || Math.floor(MEMORY_CELLS / tree.cells) || 1;
    const width = Math.min(draws, fitting);
    const space = makeSpace(tree, width);
    const found = families.map((family) => observed(family, evidence, draws));
    let since = performance.now();
    for (let start = 0; start < draws; start += width) {
      const block = { count: draws, start, width: Math.min(width, draws - start) };
      if (!propagate(tree, space, values, block, found)) return "impossible";
      if (performance.now() - since > PATIENCE) {
        await new Promise((resume) => setTimeout(resume));
        if (!goOn((start + width) / draws)) return null;
        since = performance.now();
      }
    }
    return found;
  }

  return {
    families,
    design,
    /**
     * The distribution of every node; "impossible" where the evidence cannot be, null where nobody wants to know any more.
     * @param {Evidence} evidence
     * @param {(done: number) => boolean} [goOn]
     * @returns {Promise<Summary[] | "impossible" | null>}
     */
    async ask(evidence, goOn = () => true) {
      const means = await distributions(evidence, 1, (family) => family.mean, goOn);
      if (means === null || means === "impossible") return means;
      if (means.some((mean) => mean.some(Number.isNaN))) return "impossible";
      const drawn = count ? await distributions(evidence, count, (family) => family.draws, goOn) : means;
      if (drawn === null || drawn === "impossible") return drawn;
      return means.map((mean, node) => summarise(mean, drawn[node], design));
    },
    /** The conditional table of a node. @param {number} node @returns {Summary} */
    table: (node) => summarise(families[node].mean, families[node].draws, design),
  };
}

/** @typedef {ReturnType<typeof makeEngine>} Engine */

/** @param {import("./decode.js").Family} family @param {Evidence} evidence @param {number} draws */
function observed(family, evidence, draws) {
  const levels = family.shape[family.shape.length - 1];
  const found = new Float64Array(levels * draws);
  const level = evidence.get(family.node);
  if (level !== undefined) found.fill(1, level * draws, (level + 1) * draws);
  return found;
}
