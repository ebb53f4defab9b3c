import { nearDuplicates, sketchOf } from './shingles.ts';

/** Shorter texts (a title alone) are too often alike by chance to be called copies. */
const TERMS_MIN = 15;

/** Without those whose text is nearly that of an earlier one. `termsOf`: the words of a text, in order. */
export function foldCopies<One>(ordered: One[], termsOf: (one: One) => readonly string[]): One[] {
  const sketches: Uint32Array[] = [];
  return ordered.filter((one) => {
    const terms = termsOf(one);
    if (terms.length < TERMS_MIN) return true;
    const sketch = sketchOf(terms);
    if (sketches.some((other) => nearDuplicates(other, sketch))) return false;
    sketches.push(sketch);
    return true;
  });
}
