/** A set of numbers in one typed array, which doubles as it fills; much smaller than a Set of a million numbers. */
type NumberSet = {
  /** Numbers that no longer fit are counted and left out. */
  add(value: number): void;
  dropped(): number;
  /** Ascending. */
  values(): Float64Array;
};

const FIRST_SLOTS = 1_024;
const FREE = -1;
const SPREAD = 0x9e3779b1;
const WORD_VALUES = 2 ** 32;

/** Creates a set of at most `sizeMax` integers from 0 to 2 ** 53. */
export function createNumberSet(sizeMax: number): NumberSet {
  let slots = new Float64Array(FIRST_SLOTS).fill(FREE);
  let size = 0;
  let dropped = 0;
  const findSlot = (value: number): number => {
    const low = value % WORD_VALUES;
    const mixed = Math.imul(low ^ Math.imul((value - low) / WORD_VALUES, SPREAD), SPREAD);
    let slot = (mixed ^ (mixed >>> 15)) & (slots.length - 1);
    while (slots[slot] !== FREE && slots[slot] !== value) slot = (slot + 1) & (slots.length - 1);
    return slot;
  };
  const grow = (): void => {
    const held = slots.filter((value) => value !== FREE);
    slots = new Float64Array(slots.length * 2).fill(FREE);
    for (const value of held) slots[findSlot(value)] = value;
  };
  return {
    add(value) {
      const slot = findSlot(value);
      if (slots[slot] === value) return;
      if (size >= sizeMax) {
        dropped += 1;
        return;
      }
      slots[slot] = value;
      size += 1;
      if (size * 2 > slots.length) grow();
    },
    dropped: () => dropped,
    values: () => slots.filter((value) => value !== FREE).sort(),
  };
}
