import { visitFields } from './read-words.ts';
import { FIELDS, type PageField, type PageTexts } from './score-page.ts';

/**
 * The distinct terms of a page by their hashes, ascending, with their occurrences: those of term n have their fields and places
 * between `starts[n]` and `starts[n + 1]`, in page order.
 */
export type PageTerms = {
  lengths: Record<PageField, number>;
  hashes: Uint32Array;
  starts: Uint32Array;
  /** Indexes into FIELDS. */
  fields: Uint8Array;
  places: Uint32Array;
  /** The terms of the body, in text order. */
  body: Uint32Array;
};

/** Maximum occurrences sorted at once: a hash and a number below this are exact in one float. */
const OCCURRENCES_MAX = 2 ** 21;
const BODY = FIELDS.indexOf('body');

/** Occurrences in page order. The buffers are reused for the next page: only the first `count` entries are valid. */
const read = { count: 0, inBody: 0, ...allocateBuffers(4_096) };

function allocateBuffers(length: number) {
  return {
    hashes: new Uint32Array(length),
    places: new Uint32Array(length),
    fields: new Uint8Array(length),
    body: new Uint32Array(length),
  };
}

export function readPageTerms(page: PageTexts): PageTerms {
  read.count = 0;
  read.inBody = 0;
  const lengths = visitFields(page, (field, { count, hashes, places, extra }) => {
    const kept = Math.min(count, OCCURRENCES_MAX - read.count);
    makeRoom(kept);
    const number = FIELDS.indexOf(field);
    read.hashes.set(hashes.subarray(0, kept), read.count);
    read.places.set(places.subarray(0, kept), read.count);
    read.fields.fill(number, read.count, read.count + kept);
    read.count += kept;
    if (number !== BODY) return;
    for (let at = 0; at < kept; at += 1) if (extra[at] === 0) read.body[read.inBody++] = hashes[at] as number;
  });
  return { lengths, ...sortTerms(), body: read.body.slice(0, read.inBody) };
}

function sortTerms(): Pick<PageTerms, 'hashes' | 'starts' | 'fields' | 'places'> {
  const { count } = read;
  const order = new Float64Array(count);
  for (let at = 0; at < count; at += 1) order[at] = (read.hashes[at] as number) * OCCURRENCES_MAX + at;
  order.sort();
  const [hashes, starts] = [new Uint32Array(count), new Uint32Array(count + 1)];
  const [fields, places] = [new Uint8Array(count), new Uint32Array(count)];
  let terms = 0;
  for (let place = 0; place < count; place += 1) {
    const key = order[place] as number;
    const hash = Math.floor(key / OCCURRENCES_MAX);
    const at = key - hash * OCCURRENCES_MAX;
    fields[place] = read.fields[at] as number;
    places[place] = read.places[at] as number;
    if (terms > 0 && hashes[terms - 1] === hash) continue;
    hashes[terms] = hash;
    starts[terms] = place;
    terms += 1;
  }
  starts[terms] = count;
  return { hashes: hashes.subarray(0, terms), starts: starts.subarray(0, terms + 1), fields, places };
}

function makeRoom(more: number): void {
  const needed = read.count + more;
  if (needed <= read.hashes.length) return;
  const larger = allocateBuffers(Math.max(needed, read.hashes.length * 2));
  larger.hashes.set(read.hashes);
  larger.places.set(read.places);
  larger.fields.set(read.fields);
  larger.body.set(read.body);
  Object.assign(read, larger);
}
