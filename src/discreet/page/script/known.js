// @ts-check
// What is known of a record: levels that are seen and levels that are made, and how to change and name them.

/** @typedef {import("./elimination.js").Known} Known */
/** @typedef {import("./decode.js").NodeEntry[]} Nodes */

/** @returns {Known} */
export function nothingKnown() {
  return { seen: new Map(), made: new Map() };
}

/** @param {Known} known @returns {Known} */
export function copyKnown({ seen, made }) {
  return { seen: new Map(seen), made: new Map(made) };
}

/** @param {Known} known */
export function countKnown({ seen, made }) {
  return seen.size + made.size;
}

/** @param {Known} one @param {Known} other */
export function sameKnown(one, other) {
  const listed = (/** @type {Map<number, number>} */ levels) => JSON.stringify([...levels].sort());
  return listed(one.seen) === listed(other.seen) && listed(one.made) === listed(other.made);
}

/** What is certain of a node, and why. @param {Known} known @param {number} node @returns {import("./monitor.js").Certain | null} */
export function certainOf({ seen, made }, node) {
  const level = seen.get(node) ?? made.get(node);
  return level === undefined ? null : { level, word: made.has(node) ? "set" : "observed" };
}

/** With a level, or without any of its node where it was there already. @param {Known} known @param {number} node @param {number} level @param {boolean} set @returns {Known} */
export function toggleKnown(known, node, level, set) {
  const changed = copyKnown(known);
  changed.seen.delete(node);
  changed.made.delete(node);
  if (certainOf(known, node)?.level !== level) (set ? changed.made : changed.seen).set(node, level);
  return changed;
}

/** By name, without the node that is asked about. @param {Nodes} nodes @param {Known} known @param {number} [asked] @returns {import("./words.js").Named} */
export function nameKnown(nodes, { seen, made }, asked) {
  const named = (/** @type {Map<number, number>} */ levels) =>
    /** @type {[string, string][]} */ ([...levels].filter(([node]) => node !== asked).map(([node, level]) => [nodes[node].name, nodes[node].levels[level]]));
  return { given: named(seen), set: named(made) };
}

/**
 * Which declared combination would be made that no record has: its zero stands in the table of a node that is set, so nothing
 * is known about it. Nothing where what is known rules all of them out.
 * @param {[number, [number, number][]][]} impossible @param {Known} known
 */
export function madeImpossible(impossible, { seen, made }) {
  const certain = new Map([...seen, ...made]);
  return impossible.find(([owner, levels]) => made.has(owner) && levels.every(([node, level]) => (certain.get(node) ?? level) === level));
}

/** Levels by name to levels by number. @param {Nodes} nodes @param {Record<string, string>} named */
export function numberLevels(nodes, named) {
  return new Map(
    Object.entries(named).map(([name, level]) => {
      const node = nodes.findIndex((entry) => entry.name === name);
      const found = node < 0 ? -1 : nodes[node].levels.indexOf(level);
      if (found < 0) throw new Error(`There is no ${name} = ${level}.`);
      return [node, found];
    }),
  );
}
