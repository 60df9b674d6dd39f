/** What holds for a while, behind the requests of the timeline: faults and resets. */

const MOST = 200; // of each kind: more cannot be told apart

/**
 * The stretches of faults: from the first request that one met to the last, and as long
 * as it is armed, to the end.
 *
 * @param {Array<{id: string, kind: string, from: number}>} armed with their places
 */
export function faultBands(entries, scale, armed) {
  const bands = new Map();
  for (let n = 0; n < entries.length; n += 1) {
    const { fault } = entries[n];
    if (!fault) continue;
    const band = bands.get(fault.id);
    if (band) band.to = scale.places[n];
    else if (bands.size < MOST)
      bands.set(fault.id, { ...fault, from: scale.places[n], to: scale.places[n] });
  }
  for (const { id, kind, from } of armed)
    bands.set(id, { id, kind, from: Math.min(from, bands.get(id)?.from ?? from), to: Infinity });
  return [...bands.values()];
}

/** The places between two requests where all began anew, with the generation since then. */
export function resets(entries, scale) {
  const found = [];
  for (let n = 1; n < entries.length && found.length < MOST; n += 1)
    if (entries[n].generation !== entries[n - 1].generation)
      found.push({
        place: (scale.places[n - 1] + scale.places[n]) / 2,
        generation: entries[n].generation,
      });
  return found;
}
