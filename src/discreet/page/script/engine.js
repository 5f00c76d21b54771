// @ts-check
// Asking: what is known in, the distribution of every node out, from all draws in the file.
//
// What is known is about one new record. It says nothing about the parameters, so all draws count alike whatever they make of it.
import { findRelevant, planTree } from "./elimination.js";
import { makeSpace, propagate } from "./propagate.js";

/** @typedef {import("./decode.js").Family} Family */
/** @typedef {import("./elimination.js").Known} Known */
/** @typedef {(done: number) => boolean} GoOn Told how much is done; answers whether anybody still wants to know. */
/**
 * The distribution of every node at the mean tables, and at all draws: levels, then draws. Where only one node was asked
 * about in a network that is too wide for more, the others have none of these.
 * @typedef {{means: Float64Array[], drawn: (Float64Array | null)[]}} Answer
 */

// As many draws at a time as fit into the processor's cache; where these are few, loops along cells are faster: one at a time.
const CACHE_CELLS = 2 ** 17;
const FEW = 6;
const PATIENCE = 40;
// Products, over all draws, that are computed for all nodes at once; where there are more, for the node that is asked about.
const MUCH_WORK = 2.5e7;

/** @param {number[]} order In which nodes are summed out. @param {Family[]} families By node. */
export function makeEngine(order, families) {
  const sizes = families.map((family) => family.shape[family.shape.length - 1]);

  /**
   * @param {Known} known
   * @param {number | null} asked The one node to answer for, or null for all.
   * @param {number} count How many draws there are.
   * @param {(family: Family) => Float64Array} values
   * @param {GoOn} goOn
   */
  async function distributions(known, asked, count, values, goOn) {
    const tree = planTree(asked === null ? families : findRelevant(families, known, asked), sizes, order, known);
    const fitting = Math.floor(CACHE_CELLS / Math.max(tree.cells, 1));
    const width = fitting < FEW ? 1 : Math.min(count, fitting);
    const space = makeSpace(tree, width);
    const found = families.map(({ node }) => (asked === null || asked === node ? certain(node, known, count) : new Float64Array(0)));
    let since = performance.now();
    for (let start = 0; start < count; start += width) {
      const block = { count, start, width: Math.min(width, count - start) };
      if (!propagate(tree, space, values, block, found, asked)) return "impossible";
      if (performance.now() - since > PATIENCE) {
        await new Promise((resume) => setTimeout(resume));
        if (!goOn((start + width) / count)) return null;
        since = performance.now();
      }
    }
    return found;
  }

  /** What is certain of a node, before anything is computed. @param {number} node @param {Known} known @param {number} count */
  function certain(node, { seen, made }, count) {
    const found = new Float64Array(sizes[node] * count);
    const level = seen.get(node) ?? made.get(node);
    if (level !== undefined) found.fill(1, level * count, (level + 1) * count);
    return found;
  }

  return {
    /**
     * The distribution of every node at the mean tables; "impossible" where what is known cannot be.
     * @param {Known} known
     * @returns {Promise<Float64Array[] | "impossible">}
     */
    async means(known) {
      const found = await distributions(known, null, 1, (family) => family.mean, () => true);
      if (found === null || found === "impossible" || found.some((mean) => mean.some(Number.isNaN))) return "impossible";
      return found;
    },
    /**
     * The same at all draws; null where nobody wants to know any more.
     * @param {Known} known
     * @param {number} asked The node that matters most.
     * @param {number} count How many draws the tables have now.
     * @param {GoOn} goOn
     * @returns {Promise<(Float64Array | null)[] | "impossible" | null>}
     */
    async draws(known, asked, count, goOn) {
      const wide = planTree(families, sizes, order, known).cells * count > MUCH_WORK;
      const found = await distributions(known, wide ? asked : null, count, (family) => family.draws, goOn);
      if (found === null || found === "impossible" || !wide) return found;
      return found.map((drawn, node) => (node === asked || known.seen.has(node) || known.made.has(node) ? drawn : null));
    },
  };
}

/** @typedef {ReturnType<typeof makeEngine>} Engine */
