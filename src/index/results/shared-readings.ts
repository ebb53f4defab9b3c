/*
 * What one reader of the index has read of pages, for the others: a ring of entries in memory that all threads share, the newest in place
 * of the oldest, and a table that tells where the entry of a key is.
 *
 *   entry: key, length of the data, check sum, data
 *
 * Nothing is locked. A thread may find an entry while others write over it, or stop in the middle of one, so whatever is found is copied
 * first and counts only if its check sum is right.
 */
const HEAD = 3;
const SLOTS = 1 << 16;
/** A larger one would take the place of hundreds. */
const LENGTH_MAX = 1 << 16;
/** The whole numbers that all threads change: the state of the index that the entries belong to, where the next one begins, whether the ring has been full. */
const [EPOCH, NEXT, WAS_FULL] = [0, 1, 2];

/** The memory of a ring; plain data for threads. The system gives it as it fills. */
export type ReadingsMemory = {
  state: Int32Array<SharedArrayBuffer>;
  slots: Int32Array<SharedArrayBuffer>;
  ring: Uint32Array<SharedArrayBuffer>;
};

/** Room for the words of some 10,000 pages of 600 words. */
const READINGS_BYTES = 48_000_000;

export function createReadingsMemory(bytes = READINGS_BYTES): ReadingsMemory {
  const shared = (length: number): SharedArrayBuffer => new SharedArrayBuffer(4 * length);
  return {
    state: new Int32Array(shared(3)),
    slots: new Int32Array(shared(SLOTS)),
    ring: new Uint32Array(shared(Math.floor(bytes / 4))),
  };
}

export type SharedReadings = {
  /** Null: nobody has read it lately. */
  get(key: number): Uint32Array | null;
  put(key: number, data: Uint32Array): void;
  /** From now on this thread reads and writes what belongs to this state of the index; what belongs to an earlier one is wiped. */
  enter(epoch: number): void;
};

/** One thread's view of the ring. Keys are whole numbers below 2^32 that always stand for the same data, until an epoch ends. */
export function openReadings({ state, slots, ring }: ReadingsMemory): SharedReadings {
  let epoch = 0;
  const isCurrent = (): boolean => Atomics.load(state, EPOCH) === epoch;
  /** Takes room for an entry; returns where it begins. */
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
      return sum === sumOf(key, data) ? data : null;
    },
    put(key, data) {
      const length = HEAD + data.length;
      if (data.length > LENGTH_MAX || length > ring.length || key >= 2 ** 32 || !isCurrent()) return;
      const start = allocate(length);
      ring[start] = key;
      ring[start + 1] = data.length;
      ring[start + 2] = sumOf(key, data);
      ring.set(data, start + HEAD);
      Atomics.store(slots, key % SLOTS, start + 1);
      // Whoever wiped the ring meanwhile may have come too early for this entry.
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

/** Of no two entries that differ in one word alone, or in the order of their words, the same. */
function sumOf(key: number, data: Uint32Array): number {
  let sum = Math.imul(key ^ data.length ^ 0x811c9dc5, FACTOR);
  for (let at = 0; at < data.length; at += 1) sum = Math.imul(sum ^ (data[at] as number), FACTOR) + at;
  return sum >>> 0;
}
