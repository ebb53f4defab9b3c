import type { PageField } from '../../text/scoring/page-words.ts';

/** A bit for each field that a term occurs in. */
export const FIELD_BITS: Readonly<Record<PageField, number>> = { title: 1, headings: 2, address: 4, body: 8 };

/** Counts how often the terms of one page occur in its body, and records in which fields. */
export type FieldCounts = {
  add(hash: number, bit: number): void;
  size(): number;
  /** Visits the terms in the order in which they were first added. */
  visit(see: (hash: number, bodyCount: number, fields: number) => void): void;
};

/** A hash table with open addressing, reused for the next page. */
const table = { slots: new Int32Array(1 << 12), ...createEntries(1 << 11), size: 0 };

function createEntries(length: number) {
  return { hashes: new Uint32Array(length), counts: new Uint32Array(length), fields: new Uint8Array(length) };
}

/** Creates the counts of a new page, which invalidates those of the page before. */
export function createFieldCounts(): FieldCounts {
  table.slots.fill(0);
  table.size = 0;
  return {
    add(hash, bit) {
      const entry = ensureEntry(hash);
      table.fields[entry] = (table.fields[entry] as number) | bit;
      if (bit === FIELD_BITS.body) table.counts[entry] = (table.counts[entry] as number) + 1;
    },
    size: () => table.size,
    visit(see) {
      for (let entry = 0; entry < table.size; entry += 1)
        see(table.hashes[entry] as number, table.counts[entry] as number, table.fields[entry] as number);
    },
  };
}

function ensureEntry(hash: number): number {
  const slot = findSlot(hash);
  const held = table.slots[slot] as number;
  if (held !== 0) return held - 1;
  if (table.size === table.hashes.length) {
    grow();
    return ensureEntry(hash);
  }
  const entry = table.size;
  table.size += 1;
  table.slots[slot] = table.size;
  table.hashes[entry] = hash;
  table.counts[entry] = 0;
  table.fields[entry] = 0;
  return entry;
}

/** Finds the slot of a hash, or the free slot where it belongs. */
function findSlot(hash: number): number {
  const mask = table.slots.length - 1;
  let slot = hash & mask;
  for (let held = table.slots[slot] as number; held !== 0; held = table.slots[slot] as number) {
    if (table.hashes[held - 1] === hash) return slot;
    slot = (slot + 1) & mask;
  }
  return slot;
}

function grow(): void {
  const { hashes, counts, fields, size } = table;
  const larger = createEntries(hashes.length * 2);
  larger.hashes.set(hashes);
  larger.counts.set(counts);
  larger.fields.set(fields);
  Object.assign(table, larger, { slots: new Int32Array(table.slots.length * 2) });
  for (let entry = 0; entry < size; entry += 1) table.slots[findSlot(hashes[entry] as number)] = entry + 1;
}
