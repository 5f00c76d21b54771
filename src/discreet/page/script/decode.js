// @ts-check
// What the page knows: the JSON in the file, and the tables of probabilities that are packed in it.

/** @typedef {{name: string, levels: string[], parents: number[], box: number[]}} NodeEntry */
/**
 * @typedef {object} Release What every page says.
 * @property {string} kind
 * @property {string} subject
 * @property {string} lead In one sentence, for everybody.
 * @property {string} guarantee
 * @property {string} meaning
 * @property {[string, string][]} facts
 * @property {string | null} digest
 * @property {string} file
 * @property {number} interval
 * @property {string[]} warnings
 */
/** A graph: nodes and where they stand, arrows as paths, and the size of it all. @typedef {{nodes: NodeEntry[], arrows: [number, number, string][], size: number[]}} Drawing */
/**
 * What is declared of a network beside its graph.
 * @typedef {object} Declared
 * @property {number[]} order
 * @property {string | null} wide Why the page cannot answer questions.
 * @property {string | null} causes Why setting a node means nothing unless the reader knows better; null where arrows may be causes.
 * @property {boolean} fitted Whether probabilities were fitted to noisy pairs, which do not tell noise and sampling apart.
 * @property {[number, [number, number][]][]} impossible Combinations that no record has, each with the node whose table says so.
 */
/**
 * @typedef {object} Drawn
 * @property {number} outer
 * @property {number} inner
 * @property {string} means
 * @property {string} draws
 * @property {{chains: number, limit: number, scores: string, advice: string} | null} agreement How to find out whether chains agree on an answer.
 */
/** @typedef {Release & Drawing & Declared & Drawn} NetworkRelease */
/**
 * A node with its parents, and its table: for each cell its mean and all draws, one after the other.
 * @typedef {object} Family
 * @property {number} node
 * @property {number[]} members Parents, then the node; the first parent is the slowest axis.
 * @property {number[]} shape
 * @property {number} cells
 * @property {Float64Array} mean
 * @property {Float64Array} draws
 */

const STEPS = 65535;

/** @param {string} text @returns {ArrayBuffer} */
export function decodeBytes(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let place = 0; place < raw.length; place++) bytes[place] = raw.charCodeAt(place);
  return bytes.buffer;
}

/** @param {string} text @returns {Float64Array} */
export function decodeFloats(text) {
  return new Float64Array(decodeBytes(text));
}

/** @param {NetworkRelease} release @returns {Family[]} */
export function decodeFamilies(release) {
  const means = decodeFloats(release.means);
  const steps = new Uint16Array(decodeBytes(release.draws));
  const count = release.outer * release.inner;
  let start = 0;
  return release.nodes.map((entry, node) => {
    const members = [...entry.parents, node];
    const shape = members.map((member) => release.nodes[member].levels.length);
    const cells = shape.reduce((product, size) => product * size, 1);
    const packed = steps.subarray(start * count, (start + cells) * count);
    const mean = means.subarray(start, start + cells);
    start += cells;
    return { node, members, shape, cells, mean, draws: unpack(packed, entry.levels.length, count) };
  });
}

/**
 * Fourth powers of the steps, each row divided by its sum, as Python does it.
 * @param {Uint16Array} steps @param {number} levels @param {number} count
 */
function unpack(steps, levels, count) {
  const values = new Float64Array(steps.length);
  for (let place = 0; place < steps.length; place++) {
    const root = steps[place] / STEPS;
    values[place] = root * root * (root * root);
  }
  const row = levels * count;
  for (let start = 0; start < values.length; start += row) {
    for (let draw = 0; draw < count; draw++) {
      let sum = 0;
      for (let level = 0; level < levels; level++) sum += values[start + level * count + draw];
      for (let level = 0; level < levels; level++) values[start + level * count + draw] /= sum;
    }
  }
  return values;
}
