/** Bytes of a signature: one for each bin of the text's runs of words. */
export const SIGNATURE_BYTES = 32;
const BIN_BITS = 5;
const VALUE_MASK = (1 << (32 - BIN_BITS)) - 1;
const EMPTY = 0xffffffff;
/** Texts of fewer runs are alike by chance, or by their templates. */
const RUNS_MIN = 12;
/** From here on every character counts as a word: these scripts write without spaces. */
const UNSPACED_FROM = 0x2e80;

/**
 * A signature by which near-duplicates are found among millions of texts: one byte of the smallest hash of each bin (one-permutation
 * b-bit minwise hashing; Li, Owen and Zhang 2012), over runs of three words. The share of equal bytes is about the share of runs
 * that two texts have in common. Null for texts too short to judge. Some 20 microseconds for a page.
 */
export function signatureOf(text: string): Uint8Array | null {
  const bins = new Uint32Array(SIGNATURE_BYTES).fill(EMPTY);
  let [before, last, word, runs, words] = [0, 0, 0, 0, 0];
  const end = (): void => {
    if (word === 0) return;
    words += 1;
    if (words >= 3) {
      runs += 1;
      const hash = mix(before, last, word);
      const bin = hash >>> (32 - BIN_BITS);
      const value = hash & VALUE_MASK;
      if (value < (bins[bin] ?? 0)) bins[bin] = value;
    }
    before = last;
    last = word;
    word = 0;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isWordCode(code)) word = Math.imul(word ^ (code < 128 ? code | 32 : code), 0x01000193) + 0x9e3779b9;
    if (!isWordCode(code) || code >= UNSPACED_FROM) end();
  }
  end();
  return runs < RUNS_MIN ? null : bytesOf(bins);
}

const isWordCode = (code: number): boolean =>
  code >= 128 || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);

const mix = (first: number, second: number, third: number): number => {
  const mixed = Math.imul(Math.imul(first ^ 0x9e3779b9, 0x85ebca6b) + second, 0xc2b2ae35) + third;
  const folded = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (folded ^ (folded >>> 13)) >>> 0;
};

/** An empty bin borrows from the next one that is not, as far as that is away (Shrivastava and Li 2014). */
function bytesOf(bins: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(SIGNATURE_BYTES);
  for (let bin = 0; bin < SIGNATURE_BYTES; bin += 1) {
    let away = 0;
    while (bins[(bin + away) % SIGNATURE_BYTES] === EMPTY) away += 1;
    const value = (bins[(bin + away) % SIGNATURE_BYTES] ?? 0) + Math.imul(away, 0x632be5ab);
    bytes[bin] = Math.imul(value ^ (value >>> 11), 0x9e3779b1) >>> 24;
  }
  return bytes;
}
