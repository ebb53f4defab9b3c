/*
 * A cache of page words that all reader threads of an index share: a ring buffer of entries in shared memory, in which new entries
 * overwrite the oldest, and a table of the position of each key's entry.
 *
 *   entry: key, length of the data, checksum, data
 *
 * Nothing is locked. Other threads may overwrite an entry while it is read, or stop in the middle of writing one, so an entry is copied
 * first and is valid only if its checksum matches.
 */
const HEAD = 3;
const SLOTS = 1 << 16;
/** Maximum length of an entry's data; a larger entry would displace hundreds. */
const LENGTH_MAX = 1 << 16;
/** Places of the shared counters: the epoch that the entries belong to, the start of the next entry, whether the ring has been full. */
const [EPOCH, NEXT, WAS_FULL] = [0, 1, 2];

/** The memory of a ring; plain data for threads. The system allocates it as it fills. */
export type ReadingsMemory = {
  state: Int32Array<SharedArrayBuffer>;
  slots: Int32Array<SharedArrayBuffer>;
  ring: Uint32Array<SharedArrayBuffer>;
};

/** Room for the words of some 10,000 pages of 600 words. */
const READINGS_BYTES = 48_000_000;

export function createReadingsMemory(bytes = READINGS_BYTES): ReadingsMemory {
  const allocateShared = (length: number): SharedArrayBuffer => new SharedArrayBuffer(4 * length);
  return {
    state: new Int32Array(allocateShared(3)),
    slots: new Int32Array(allocateShared(SLOTS)),
    ring: new Uint32Array(allocateShared(Math.floor(bytes / 4))),
  };
}

export type SharedReadings = {
  /** Returns null if no thread has read the page recently. */
  get(key: number): Uint32Array | null;
  put(key: number, data: Uint32Array): void;
  /** Makes this thread read and write entries of this epoch, and wipes entries of earlier epochs. */
  enter(epoch: number): void;
};

/** Opens one thread's view of the ring. Keys are integers below 2^32 that always stand for the same data within an epoch. */
export function openReadings({ state, slots, ring }: ReadingsMemory): SharedReadings {
  let epoch = 0;
  const isCurrent = (): boolean => Atomics.load(state, EPOCH) === epoch;
  /** Allocates room for an entry; returns its start. */
  const allocate = (length: number): number => {
    for (;;) {
      const next = Atomics.load(state, NEXT);
      const isFull = next + length > ring.length;
      if (isFull) Atomics.store(state, WAS_FULL, 1);
      const start = isFull ? 0 : next;
      if (Atomics.compareExchange(state, NEXT, next, start + length) === next) return start;
    }
  };
  const wipe = (): void => {
    slots.fill(0);
    ring.fill(0, 0, Atomics.load(state, WAS_FULL) === 1 ? ring.length : Atomics.load(state, NEXT));
  };
  return {
    get(key) {
      if (!isCurrent()) return null;
      const start = Atomics.load(slots, key % SLOTS) - 1;
      if (start < 0 || ring[start] !== key) return null;
      const length = ring[start + 1] as number;
      if (length > LENGTH_MAX || start + HEAD + length > ring.length) return null;
      const sum = ring[start + 2];
      const data = new Uint32Array(length);
      data.set(ring.subarray(start + HEAD, start + HEAD + length));
      return sum === computeChecksum(key, data) ? data : null;
    },
    put(key, data) {
      const length = HEAD + data.length;
      if (data.length > LENGTH_MAX || length > ring.length || key >= 2 ** 32 || !isCurrent()) return;
      const start = allocate(length);
      ring[start] = key;
      ring[start + 1] = data.length;
      ring[start + 2] = computeChecksum(key, data);
      ring.set(data, start + HEAD);
      Atomics.store(slots, key % SLOTS, start + 1);
      // A wipe in the meantime may have been too early to cover this entry.
      if (!isCurrent()) ring.fill(0, start, start + length);
    },
    enter(now) {
      epoch = now;
      const before = Atomics.load(state, EPOCH);
      if (now > before && Atomics.compareExchange(state, EPOCH, before, now) === before) wipe();
    },
  };
}

const FACTOR = 0x01000193;

/** Computes a checksum that differs between entries that differ in a single word or in the order of their words. */
function computeChecksum(key: number, data: Uint32Array): number {
  let sum = Math.imul(key ^ data.length ^ 0x811c9dc5, FACTOR);
  for (let at = 0; at < data.length; at += 1) sum = Math.imul(sum ^ (data[at] as number), FACTOR) + at;
  return sum >>> 0;
}
