/** Something that happens at a time of the simulation, in milliseconds. */
export type Happening = { at: number; run(): void };

/** What is to happen, the earliest first (a binary heap). */
export type Agenda = { add(happening: Happening): void; next(): Happening | null };

export function createAgenda(): Agenda {
  const heap: Happening[] = [];
  const isBefore = (one: number, other: number): boolean =>
    (heap[one]?.at ?? Number.POSITIVE_INFINITY) < (heap[other]?.at ?? Number.POSITIVE_INFINITY);
  const swap = (one: number, other: number): void => {
    const [first, second] = [heap[one], heap[other]];
    if (first === undefined || second === undefined) return;
    [heap[one], heap[other]] = [second, first];
  };
  const rise = (from: number): void => {
    const above = (from - 1) >> 1;
    if (from === 0 || !isBefore(from, above)) return;
    swap(from, above);
    rise(above);
  };
  const sink = (from: number): void => {
    const left = 2 * from + 1;
    const least = isBefore(left + 1, left) ? left + 1 : left;
    if (!isBefore(least, from)) return;
    swap(from, least);
    sink(least);
  };
  return {
    add(happening) {
      heap.push(happening);
      rise(heap.length - 1);
    },
    next() {
      swap(0, heap.length - 1);
      const first = heap.pop() ?? null;
      sink(0);
      return first;
    },
  };
}
