// @ts-check
// A tree of buckets, one for each node that is not observed: the plan of all answers at once.
//
// Nodes are summed out in an order that Python chose. The bucket of a node holds the product of all tables that have it as
// their first node in this order, and of what other buckets send; it sends the sum over its node to the bucket of the next
// node in its scope. Observed nodes are in no scope: they choose a part of each table.

/**
 * How a table is laid over the cells of a bucket: a step for each axis of the bucket, and where to begin. Neighbouring axes
 * along which the table runs evenly are one axis here.
 * @typedef {{shape: number[], strides: number[], offset: number}} Overlay
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
 * What is known of a new record: levels that were seen, and levels that somebody made, each by its node. Who makes a level
 * cuts the arrows into its node: the table of that node no longer counts.
 * @typedef {{seen: Map<number, number>, made: Map<number, number>}} Known
 */

/**
 * @param {import("./decode.js").Family[]} families Those that matter.
 * @param {number[]} sizes Levels of all nodes.
 * @param {number[]} order
 * @param {Known} known
 * @returns {Tree}
 */
export function planTree(families, sizes, order, { seen, made }) {
  const certain = new Map([...seen, ...made]);
  const members = new Set(families.flatMap((family) => family.members));
  const free = order.filter((node) => members.has(node) && !certain.has(node));
  const rank = new Map(free.map((node, place) => [node, place]));
  /** @type {import("./decode.js").Family[][]} */
  const held = free.map(() => []);
  const constants = [];
  for (const family of families) {
    if (made.has(family.node)) continue;
    const ranks = freeRanks(family.members, rank);
    if (ranks.length) held[Math.min(...ranks)].push(family);
    else constants.push({ family, cell: layOver([], [], family, certain).offset });
  }
  const scopes = findScopes(free, rank, held);
  /** @type {Bucket[]} */
  const buckets = scopes.map((scope, place) => {
    const shape = scope.map((each) => sizes[each]);
    const tables = held[place].map((family) => ({ family, overlay: layOver(scope, shape, family, certain) }));
    return { node: free[place], scope, shape, cells: shape.reduce((product, size) => product * size, 1), tables, messages: [], parent: -1 };
  });
  buckets.forEach((bucket, place) => {
    bucket.parent = findParent(buckets, place);
    const parent = buckets[bucket.parent];
    parent?.messages.push({ child: place, overlay: layMessage(parent.scope, parent.shape, bucket) });
  });
  return { buckets, constants, cells: buckets.reduce((sum, bucket) => sum + bucket.cells, 0) };
}

/**
 * The tables that an answer about one node depends on: not those of nodes below it that nobody has seen, and not those that
 * what is known separates from it.
 * @param {import("./decode.js").Family[]} families By node. @param {Known} known @param {number} asked
 */
export function findRelevant(families, { seen, made }, asked) {
  const above = new Set([asked, ...seen.keys()]);
  for (const node of above) if (!made.has(node)) for (const member of families[node].members) above.add(member);
  const left = new Set([...above].filter((node) => !made.has(node)).map((node) => families[node]));
  const reached = new Set([asked]);
  const found = [];
  for (const node of reached) {
    for (const family of left) {
      if (!family.members.includes(node)) continue;
      left.delete(family);
      found.push(family);
      for (const member of family.members) if (!seen.has(member) && !made.has(member)) reached.add(member);
    }
  }
  return found;
}

/**
 * The nodes of each bucket: those of its tables, and of what would be sent to it, in the order of summing out.
 * @param {number[]} free @param {Map<number, number>} rank @param {import("./decode.js").Family[][]} held
 */
function findScopes(free, rank, held) {
  /** @type {Set<number>[]} */
  const ranks = free.map((_, place) => new Set([place]));
  return free.map((_, place) => {
    for (const family of held[place]) for (const each of freeRanks(family.members, rank)) ranks[place].add(each);
    const sorted = [...ranks[place]].sort((one, other) => one - other);
    if (sorted.length > 1) for (const each of sorted.slice(1)) ranks[sorted[1]].add(each);
    return sorted.map((each) => free[each]);
  });
}

/** The smallest later bucket that has all that is sent: a message costs as many steps as its receiver has cells. @param {Bucket[]} buckets @param {number} place */
function findParent(buckets, place) {
  const rest = buckets[place].scope.slice(1);
  let found = -1;
  if (!rest.length) return found;
  for (let other = place + 1; other < buckets.length; other++) {
    if (found >= 0 && buckets[other].cells >= buckets[found].cells) continue;
    if (rest.every((node) => buckets[other].scope.includes(node))) found = other;
  }
  return found;
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
 * @param {number[]} shape
 * @param {import("./decode.js").Family} family
 * @param {Map<number, number>} evidence
 * @returns {Overlay}
 */
function layOver(scope, shape, family, evidence) {
  const steps = stepsOf(family.shape);
  let offset = 0;
  family.members.forEach((member, axis) => {
    offset += (evidence.get(member) ?? 0) * steps[axis];
  });
  const strides = scope.map((node) => {
    const axis = family.members.indexOf(node);
    return axis < 0 ? 0 : steps[axis];
  });
  return { ...joinAxes(shape, strides), offset };
}

/** @param {number[]} scope @param {number[]} shape @param {Bucket} child @returns {Overlay} */
function layMessage(scope, shape, child) {
  const rest = child.scope.slice(1);
  const steps = stepsOf(child.shape.slice(1));
  const strides = scope.map((node) => (rest.includes(node) ? steps[rest.indexOf(node)] : 0));
  return { ...joinAxes(shape, strides), offset: 0 };
}

/** Long runs are carried out much faster than short ones. @param {number[]} shape @param {number[]} strides */
function joinAxes(shape, strides) {
  /** @type {{shape: number[], strides: number[]}} */
  const joined = { shape: [], strides: [] };
  shape.forEach((size, axis) => {
    const last = joined.shape.length - 1;
    if (last >= 0 && joined.strides[last] === strides[axis] * size) {
      joined.shape[last] *= size;
      joined.strides[last] = strides[axis];
    } else {
      joined.shape.push(size);
      joined.strides.push(strides[axis]);
    }
  });
  return joined;
}
