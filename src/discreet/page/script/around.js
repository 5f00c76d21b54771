// @ts-check
// A node with those next to it, however large the network is: parents above, children below, and beside it what the
// children depend on as well. Python has laid out the whole; this small part is laid out here.

/** Where nodes stand, arrows as paths, and the size of it all. @typedef {{boxes: Map<number, number[]>, arrows: [number, number, string][], size: number[]}} Placed */

const GAP_ACROSS = 28;
const GAP_DOWN = 64;
const GAP_WRAPPED = 26;

/**
 * @param {import("./decode.js").NodeEntry[]} nodes @param {number} node
 * @param {number} across How many stand beside one another at the most.
 * @returns {Placed}
 */
export function layAround(nodes, node, across) {
  const { parents } = nodes[node];
  const children = nodes.flatMap((entry, other) => (entry.parents.includes(node) ? [other] : []));
  const near = new Set([node, ...parents, ...children]);
  const beside = [...new Set(children.flatMap((child) => nodes[child].parents))].filter((other) => !near.has(other));
  const far = beside.splice(across - 1);
  const left = beside.splice(0, Math.ceil(beside.length / 2));
  const ranks = [wrap(parents, across), wrap(far, across), [[...left, node, ...beside]], wrap(children, across)];
  const rows = ranks.flatMap((rank) => rank.map((row, place) => ({ row, gap: place ? GAP_WRAPPED : GAP_DOWN })));
  const wide = Math.max(...rows.map(({ row }) => widthOf(nodes, row)));
  /** @type {Map<number, number[]>} */
  const boxes = new Map();
  let top = -GAP_DOWN;
  for (const { row, gap } of rows) {
    top += gap;
    let from = (wide - widthOf(nodes, row)) / 2;
    for (const each of row) {
      const [, , width, height] = nodes[each].box;
      boxes.set(each, [from, top, width, height]);
      from += width + GAP_ACROSS;
    }
    top += Math.max(...row.map((each) => nodes[each].box[3]));
  }
  const arrows = [node, ...children].flatMap((child) => nodes[child].parents.map((parent) => connect(boxes, parent, child)));
  return { boxes, arrows, size: [wide, top] };
}

/** Rows of at most so many, as even as they can be. @param {number[]} items @param {number} across */
function wrap(items, across) {
  const count = Math.ceil(items.length / across);
  const size = Math.ceil(items.length / Math.max(count, 1));
  return Array.from({ length: count }, (_, row) => items.slice(row * size, (row + 1) * size));
}

/** @param {import("./decode.js").NodeEntry[]} nodes @param {number[]} row */
function widthOf(nodes, row) {
  return row.reduce((sum, each) => sum + nodes[each].box[2] + GAP_ACROSS, -GAP_ACROSS);
}

/** @param {Map<number, number[]>} boxes @param {number} parent @param {number} child @returns {[number, number, string]} */
function connect(boxes, parent, child) {
  const [x, y, width, height] = boxes.get(parent) ?? [0, 0, 0, 0];
  const [to, below, wide, high] = boxes.get(child) ?? [0, 0, 0, 0];
  const [start, end] = [x + width / 2, to + wide / 2];
  if (below >= y + height) {
    const bend = Math.max((below - y - height) / 2, 20);
    return [parent, child, `M${start} ${y + height}C${start} ${y + height + bend} ${end} ${below - bend} ${end} ${below}`];
  }
  // Two children, one of which depends on the other: below both of them.
  const under = Math.max(y + height, below + high) + 34;
  return [parent, child, `M${start} ${y + height}C${start} ${under} ${end} ${under} ${end} ${below + high}`];
}
