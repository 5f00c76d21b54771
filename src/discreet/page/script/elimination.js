// @ts-check
// A tree of buckets, one for each node that is not observed: the plan of all answers at once.
//
// Nodes are summed out in an order that Python chose. The bucket of a node holds the product of all tables that have it as
// their first node in this order, and of what other buckets send; it sends the sum over its node to the bucket of the next
// node in its scope. Observed nodes are in no scope: they choose a part of each table.

/**
 * How a table is laid over the cells of a bucket: a step for each axis of the bucket, and where to begin.
 * @typedef {{strides: number[], offset: number}} Overlay
 */
/**
 * @typedef {object} Bucket
 * @property {number} node
 * @property {number[]} scope Nodes, the bucket's own first, then in the order in which they are summed out.
 * @property {number[]} shape
 * @property {number} cells
 * @property {{family: import("./decode.js").Family, overlay: Overlay}[]} tables
 * @property {{child: number, overlay: Overlay}[]} messages What children send, laid over this bucket.
 * @property {number} parent The bucket that it sends to, or -1.
 */
/**
 * @typedef {object} Tree
 * @property {Bucket[]} buckets In the order of summing out: children before parents.
 * @property {{family: import("./decode.js").Family, cell: number}[]} constants Tables of which every node is observed.
 * @property {number} cells All cells of all buckets.
 */

/**
 * @param {import("./decode.js").Family[]} families
 * @param {number[]} order
 * @param {Map<number, number>} evidence Node to the number of its observed level.
 * @returns {Tree}
 */
export function planTree(families, order, evidence) {
  const free = order.filter((node) => !evidence.has(node));
  const rank = new Map(free.map((node, place) => [node, place]));
  const sizes = families.map((family) => family.shape[family.shape.length - 1]);
  /** @type {import("./decode.js").Family[][]} */
  const held = free.map(() => []);
  const constants = [];
  for (const family of families) {
    const ranks = freeRanks(family.members, rank);
    if (ranks.length) held[Math.min(...ranks)].push(family);
    else constants.push({ family, cell: layOver([], family, evidence).offset });
  }
  /** @type {Bucket[]} */
  const buckets = [];
  /** @type {number[][]} */
  const children = free.map(() => []);
  free.forEach((node, place) => {
    const ranks = new Set([place]);
    for (const family of held[place]) for (const each of freeRanks(family.members, rank)) ranks.add(each);
    for (const child of children[place]) {
      for (const other of buckets[child].scope.slice(1)) ranks.add(/** @type {number} */ (rank.get(other)));
    }
    const sorted = [...ranks].sort((one, other) => one - other);
    const scope = sorted.map((each) => free[each]);
    const shape = scope.map((each) => sizes[each]);
    const parent = sorted.length > 1 ? sorted[1] : -1;
    if (parent >= 0) children[parent].push(place);
    buckets.push({
      node,
      scope,
      shape,
      cells: shape.reduce((product, size) => product * size, 1),
      tables: held[place].map((family) => ({ family, overlay: layOver(scope, family, evidence) })),
      messages: children[place].map((child) => ({ child, overlay: layMessage(scope, buckets[child]) })),
      parent,
    });
  });
  return { buckets, constants, cells: buckets.reduce((sum, bucket) => sum + bucket.cells, 0) };
}

/** @param {number[]} members @param {Map<number, number>} rank */
function freeRanks(members, rank) {
  const found = [];
  for (const member of members) {
    const place = rank.get(member);
    if (place !== undefined) found.push(place);
  }
  return found;
}

/** @param {number[]} shape Steps of a table whose last axis is the fastest. */
function stepsOf(shape) {
  const steps = new Array(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis--) steps[axis] = steps[axis + 1] * shape[axis + 1];
  return steps;
}

/**
 * @param {number[]} scope
 * @param {import("./decode.js").Family} family
 * @param {Map<number, number>} evidence
 * @returns {Overlay}
 */
function layOver(scope, family, evidence) {
  const steps = stepsOf(family.shape);
  let offset = 0;
  family.members.forEach((member, axis) => {
    offset += (evidence.get(member) ?? 0) * steps[axis];
  });
  const strides = scope.map((node) => {
    const axis = family.members.indexOf(node);
    return axis < 0 ? 0 : steps[axis];
  });
  return { strides, offset };
}

/** @param {number[]} scope @param {Bucket} child @returns {Overlay} */
function layMessage(scope, child) {
  const rest = child.scope.slice(1);
  const steps = stepsOf(child.shape.slice(1));
  return { strides: scope.map((node) => (rest.includes(node) ? steps[rest.indexOf(node)] : 0)), offset: 0 };
}
