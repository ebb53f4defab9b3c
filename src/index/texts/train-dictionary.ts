/** A text and the host that it is from. */
export type Sample = { host: string; text: string };

/** Maximum size of the dictionary, near the optimum for a page of text; a larger one makes every write slower. */
const BYTES_MAX = 32_768;
/** Minimum size of the dictionary; a smaller one is not worthwhile. */
const BYTES_MIN = 1_024;
/** Bytes per counted string. */
const GRAM = 8;
/** Maximum bytes of a piece. */
const PIECE = 64;
/**
 * Minimum hosts that must contain each string of the dictionary, byte for byte. Such strings belong to no single page, so nothing of a
 * deleted page stays behind in the dictionary.
 */
const HOSTS_MIN = 3;
/** Bits of a slot number in the first count, in which several strings may share a slot. */
const SLOT_BITS = 22;
const COUNT_MAX = 255;

/**
 * Pure: trains a Zstandard dictionary of what the texts have in common, the most common pieces last, where references are shortest. Null
 * if there is too little. Follows FastCOVER: it takes from each part of the samples the piece whose strings are on most hosts, and counts
 * each string once.
 */
export function trainDictionary(samples: readonly Sample[]): Uint8Array | null {
  const texts = samples.map(({ host, text }) => ({ host, bytes: Buffer.from(text) }));
  const hosts = countHostsOfSlots(texts);
  const all = Buffer.concat(texts.map(({ bytes }) => bytes));
  const part = Math.max(PIECE * 2, Math.floor((all.length * PIECE) / BYTES_MAX));
  const pieces: Piece[] = [];
  for (let from = 0; from < all.length; from += part) {
    const piece = findBestPiece(
      all.subarray(from, from + part),
      (bytes, at) => hosts[computeSlot(bytes, at)] ?? 0,
    );
    if (piece === null) continue;
    pieces.push(piece);
    for (const at of listGrams(piece.bytes)) hosts[computeSlot(piece.bytes, at)] = 0;
  }
  const common = selectCommon(pieces, texts).sort((left, right) => left.worth - right.worth);
  const dictionary = Buffer.concat(common.map(({ bytes }) => bytes)).subarray(-BYTES_MAX);
  return dictionary.length < BYTES_MIN ? null : new Uint8Array(dictionary);
}

type Text = { host: string; bytes: Buffer };
/** `worth`: the sum of the host counts of its strings. */
type Piece = { bytes: Buffer; worth: number };
type CountHosts = (bytes: Buffer, at: number) => number;

function* listGrams({ length }: Buffer): Generator<number> {
  for (let at = 0; at + GRAM <= length; at += 1) yield at;
}

/** Counts, approximately, the hosts that contain the strings of each slot. */
function countHostsOfSlots(texts: readonly Text[]): Uint8Array {
  const counts = new Uint8Array(1 << SLOT_BITS);
  const last = new Uint16Array(1 << SLOT_BITS);
  let host = 0;
  for (const own of Map.groupBy(texts, (text) => text.host).values()) {
    host += 1;
    for (const { bytes } of own) {
      for (const at of listGrams(bytes)) {
        const slot = computeSlot(bytes, at);
        if (last[slot] === host) continue;
        last[slot] = host;
        counts[slot] = Math.min(COUNT_MAX, (counts[slot] ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** Computes the slot of the eight bytes at a place, by multiplicative hashing of the two halves. */
function computeSlot(bytes: Buffer, at: number): number {
  const mixed =
    Math.imul(bytes.readInt32LE(at), 0x9e3779b1) ^ Math.imul(bytes.readInt32LE(at + 4), 0x85ebca77);
  return (mixed ^ (mixed >>> 15)) >>> (32 - SLOT_BITS);
}

/** Finds the piece with the highest sum of host counts, all of whose strings are on enough hosts. */
function findBestPiece(bytes: Buffer, hostsOf: CountHosts): Piece | null {
  let best: Piece | null = null;
  let [start, worth] = [0, 0];
  for (const at of listGrams(bytes)) {
    const count = hostsOf(bytes, at);
    if (count < HOSTS_MIN) {
      [start, worth] = [at + 1, 0];
      continue;
    }
    worth += count;
    if (at + GRAM - start > PIECE) worth -= hostsOf(bytes, start++);
    if (worth > (best?.worth ?? 0)) best = { bytes: bytes.subarray(start, at + GRAM), worth };
  }
  return best;
}

/** Reduces the pieces by exact counts of their strings. */
function selectCommon(pieces: readonly Piece[], texts: readonly Text[]): Piece[] {
  const readGram = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + GRAM);
  const hosts = new Map<string, Set<string>>();
  for (const { bytes } of pieces)
    for (const at of listGrams(bytes)) hosts.set(readGram(bytes, at), new Set());
  for (const { host, bytes } of texts) {
    for (const at of listGrams(bytes)) hosts.get(readGram(bytes, at))?.add(host);
  }
  return pieces
    .map(({ bytes }) => findBestPiece(bytes, (own, at) => hosts.get(readGram(own, at))?.size ?? 0))
    .filter((piece) => piece !== null);
}
