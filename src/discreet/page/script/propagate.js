// @ts-check
// Carrying out a plan for many draws at once: collect towards the last buckets, hand out from there, read off every node.
//
// Every array holds, for each cell, the values at some draws one after the other; of wide networks one draw at a time, and
// then loops run along cells instead of draws. Products are divided by their largest value for each draw, so that long ones
// do not fall below what a number can hold; a common factor does not change a distribution.

/** @typedef {import("./elimination.js").Tree} Tree */
/** @typedef {import("./elimination.js").Bucket} Bucket */
/** @typedef {{beliefs: Float64Array[], messages: Float64Array[], shared: Float64Array, peaks: Float64Array}} Space */

const MANY = 16;

/** @param {Tree} tree @param {number} width @returns {Space} */
export function makeSpace(tree, width) {
  const messages = tree.buckets.map((bucket) => new Float64Array((bucket.cells / bucket.shape[0]) * width));
  return {
    beliefs: tree.buckets.map((bucket) => new Float64Array(bucket.cells * width)),
    messages,
    shared: new Float64Array(Math.max(1, ...messages.map((message) => message.length))),
    peaks: new Float64Array(width),
  };
}

/**
 * The distribution of every free node at draws start to start + width, written to `found`; not a number where the evidence
 * is impossible.
 * @param {Tree} tree
 * @param {Space} space
 * @param {(family: import("./decode.js").Family) => Float64Array} values The cells of a table at all draws.
 * @param {{count: number, start: number, width: number}} draws
 * @param {Float64Array[]} found By node: levels, then draws.
 * @param {number | null} asked The one node that anybody wants to know about, if it is one.
 * @returns {boolean} Whether the tables of which every node is observed allow that.
 */
export function propagate(tree, space, values, draws, found, asked) {
  collect(tree, space, values, draws);
  const possible = checkConstants(tree, values, draws);
  for (const place of wayDown(tree, asked)) {
    handOut(tree, space, place, draws.width);
    const { node } = tree.buckets[place];
    if (asked === null || asked === node) readOff(tree.buckets[place], space, place, draws, possible, found[node]);
  }
  return possible.every(Boolean);
}

/** The buckets to which something is handed out, from the last ones: all of them, or those on the way to one. @param {Tree} tree @param {number | null} asked */
function wayDown(tree, asked) {
  if (asked === null) return tree.buckets.map((_, place) => tree.buckets.length - 1 - place);
  const way = [];
  for (let place = tree.buckets.findIndex(({ node }) => node === asked); place >= 0; place = tree.buckets[place].parent) way.unshift(place);
  return way;
}

/** @param {Tree} tree @param {Space} space @param {(family: import("./decode.js").Family) => Float64Array} values @param {{count: number, start: number, width: number}} draws */
function collect(tree, space, values, draws) {
  const { width } = draws;
  tree.buckets.forEach((bucket, place) => {
    const belief = space.beliefs[place];
    belief.fill(1, 0, bucket.cells * width);
    let factors = 0;
    for (const { family, overlay } of bucket.tables) {
      multiply(belief, width, values(family), overlay, draws.count, draws.start);
      if (++factors % MANY === 0) rescale(belief, bucket.cells, width, space.peaks);
    }
    for (const { child, overlay } of bucket.messages) {
      multiply(belief, width, space.messages[child], overlay, width, 0);
      if (++factors % MANY === 0) rescale(belief, bucket.cells, width, space.peaks);
    }
    const message = space.messages[place];
    const row = (bucket.cells / bucket.shape[0]) * width;
    message.fill(0, 0, row);
    for (let level = 0; level < bucket.shape[0]; level++) {
      for (let cell = 0, from = level * row; cell < row; cell++, from++) message[cell] += belief[from];
    }
    rescale(message, row / width, width, space.peaks);
  });
}

/** @param {Tree} tree @param {Space} space @param {number} place @param {number} width */
function handOut(tree, space, place, width) {
  const bucket = tree.buckets[place];
  if (bucket.parent < 0) return;
  const parent = tree.buckets[bucket.parent];
  const sent = /** @type {{child: number, overlay: import("./elimination.js").Overlay}} */ (
    parent.messages.find((message) => message.child === place)
  );
  const { shared } = space;
  const message = space.messages[place];
  const row = (bucket.cells / bucket.shape[0]) * width;
  shared.fill(0, 0, row);
  sumOnto(shared, space.beliefs[bucket.parent], width, sent.overlay);
  for (let cell = 0; cell < row; cell++) shared[cell] = message[cell] > 0 ? shared[cell] / message[cell] : 0;
  rescale(shared, row / width, width, space.peaks);
  const belief = space.beliefs[place];
  for (let level = 0; level < bucket.shape[0]; level++) {
    for (let cell = 0, to = level * row; cell < row; cell++, to++) belief[to] *= shared[cell];
  }
}

/** @param {Bucket} bucket @param {Space} space @param {number} place @param {{count: number, start: number, width: number}} draws @param {Uint8Array} possible @param {Float64Array} found */
function readOff(bucket, space, place, draws, possible, found) {
  const { count, start, width } = draws;
  const belief = space.beliefs[place];
  const rest = bucket.cells / bucket.shape[0];
  const sums = space.peaks.fill(0, 0, width);
  for (let level = 0, from = 0; level < bucket.shape[0]; level++) {
    const to = level * count + start;
    found.fill(0, to, to + width);
    if (width > 1) {
      for (let cell = 0; cell < rest; cell++) {
        for (let draw = 0; draw < width; draw++) found[to + draw] += belief[from++];
      }
    } else {
      for (const stop = from + rest; from < stop; from++) found[to] += belief[from];
    }
    for (let draw = 0; draw < width; draw++) sums[draw] += found[to + draw];
  }
  for (let level = 0; level < bucket.shape[0]; level++) {
    const to = level * count + start;
    for (let draw = 0; draw < width; draw++) found[to + draw] = possible[draw] ? found[to + draw] / sums[draw] : NaN;
  }
}

/** @param {Tree} tree @param {(family: import("./decode.js").Family) => Float64Array} values @param {{count: number, start: number, width: number}} draws */
function checkConstants(tree, values, draws) {
  const possible = new Uint8Array(draws.width).fill(1);
  for (const { family, cell } of tree.constants) {
    const table = values(family);
    for (let draw = 0; draw < draws.width; draw++) {
      if (!(table[cell * draws.count + draws.start + draw] > 0)) possible[draw] = 0;
    }
  }
  return possible;
}

/**
 * Multiply the cells of a bucket by a table that is laid over them. Here most of the time goes, so it runs along the last axis.
 * @param {Float64Array} target @param {number} width
 * @param {Float64Array} source @param {import("./elimination.js").Overlay} overlay
 * @param {number} pitch Values of a cell of the source. @param {number} start The first of them to use.
 */
function multiply(target, width, source, { shape, strides, offset }, pitch, start) {
  const run = shape[shape.length - 1];
  const step = strides[shape.length - 1] * pitch;
  const end = shape.reduce((product, size) => product * size, width);
  const place = new Int32Array(shape.length);
  let there = offset;
  for (let to = 0; to < end; ) {
    let from = there * pitch + start;
    if (width > 1) {
      for (let cell = 0; cell < run; cell++, from += step) {
        for (let draw = 0; draw < width; draw++) target[to++] *= source[from + draw];
      }
    } else if (step === 0) {
      const factor = source[from];
      for (const stop = to + run; to < stop; to++) target[to] *= factor;
    } else {
      for (const stop = to + run; to < stop; to++, from += step) target[to] *= source[from];
    }
    there = advance(place, shape, strides, there);
  }
}

/**
 * Add the cells of a bucket onto a smaller array: whatever it does not have is summed out.
 * @param {Float64Array} target @param {Float64Array} source @param {number} width
 * @param {import("./elimination.js").Overlay} overlay
 */
function sumOnto(target, source, width, { shape, strides, offset }) {
  const run = shape[shape.length - 1];
  const step = strides[shape.length - 1] * width;
  const end = shape.reduce((product, size) => product * size, width);
  const place = new Int32Array(shape.length);
  let there = offset;
  for (let from = 0; from < end; ) {
    let to = there * width;
    if (width > 1) {
      for (let cell = 0; cell < run; cell++, to += step) {
        for (let draw = 0; draw < width; draw++) target[to + draw] += source[from++];
      }
    } else if (step === 0) {
      let sum = 0;
      for (const stop = from + run; from < stop; from++) sum += source[from];
      target[to] += sum;
    } else {
      for (const stop = from + run; from < stop; from++, to += step) target[to] += source[from];
    }
    there = advance(place, shape, strides, there);
  }
}

/**
 * From one run along the last axis to the next: where the other array has its first cell.
 * @param {Int32Array} place @param {number[]} shape @param {number[]} strides @param {number} there
 */
function advance(place, shape, strides, there) {
  for (let axis = shape.length - 2; axis >= 0; axis--) {
    there += strides[axis];
    if (++place[axis] < shape[axis]) break;
    there -= strides[axis] * shape[axis];
    place[axis] = 0;
  }
  return there;
}

/** @param {Float64Array} values @param {number} cells @param {number} width @param {Float64Array} peaks Scratch. */
function rescale(values, cells, width, peaks) {
  peaks.fill(0, 0, width);
  if (width === 1) {
    let peak = 0;
    for (let cell = 0; cell < cells; cell++) if (values[cell] > peak) peak = values[cell];
    const factor = peak > 0 ? 1 / peak : 0;
    for (let cell = 0; cell < cells; cell++) values[cell] *= factor;
    return;
  }
  for (let cell = 0, from = 0; cell < cells; cell++) {
    for (let draw = 0; draw < width; draw++, from++) if (values[from] > peaks[draw]) peaks[draw] = values[from];
  }
  for (let draw = 0; draw < width; draw++) peaks[draw] = peaks[draw] > 0 ? 1 / peaks[draw] : 0;
  for (let cell = 0, from = 0; cell < cells; cell++) {
    for (let draw = 0; draw < width; draw++, from++) values[from] *= peaks[draw];
  }
}
