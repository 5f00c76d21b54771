// @ts-check
// Random numbers for the picture of a plan: the same each time, and by formulas in which they move evenly with what they are
// drawn for. Nothing here protects anything, and nothing is released.

/** A small generator of uniform numbers. @param {number} seed */
function makeUniform(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}

/** @param {number} count */
export function drawUniforms(count) {
  return new Float64Array(count).map(makeUniform(2016));
}

/** Box and Muller's formula. @param {number} count */
export function drawNormals(count) {
  const uniform = makeUniform(2017);
  const found = new Float64Array(count);
  for (let place = 0; place < count; place += 2) {
    const [radius, angle] = [Math.sqrt(-2 * Math.log(uniform())), 2 * Math.PI * uniform()];
    found[place] = radius * Math.cos(angle);
    if (place + 1 < count) found[place + 1] = radius * Math.sin(angle);
  }
  return found;
}

/** A gamma variable of a shape of at least one, from a normal one: Wilson and Hilferty's formula. @param {number} shape @param {number} normal */
export function gammaDraw(shape, normal) {
  return shape > 0 ? shape * Math.max(1 - 1 / (9 * shape) + normal / (3 * Math.sqrt(shape)), 1e-3) ** 3 : 0;
}

/** A normal variable that is kept between zero and a bound. @param {number} middle @param {number} spread @param {number} most @param {number} uniform */
export function truncatedDraw(middle, spread, most, uniform) {
  if (!(spread > 0)) return middle;
  if (spread > 100 * most) return most * uniform;
  const [low, high] = [normalShare(-middle / spread), normalShare((most - middle) / spread)];
  return Math.min(Math.max(middle + spread * normalPlace(low + (high - low) * uniform), 0), most);
}

/** Below a place, to seven digits (Abramowitz and Stegun, 26.2.17). @param {number} place */
function normalShare(place) {
  const t = 1 / (1 + 0.2316419 * Math.abs(place));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = (Math.exp((-place * place) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return place > 0 ? 1 - above : above;
}

/** The inverse, to three digits (the same, 26.2.23). @param {number} share */
function normalPlace(share) {
  const part = Math.min(Math.max(share, 1e-9), 1 - 1e-9);
  const t = Math.sqrt(-2 * Math.log(Math.min(part, 1 - part)));
  const place = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  return part < 0.5 ? -place : place;
}
