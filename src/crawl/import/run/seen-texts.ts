import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../../../platform/store/private-files.ts';

/** Bytes of a signature: one for each bin of the text's word runs. */
const SIGNATURE_BYTES = 32;

const BIN_BITS = 5;

const VALUE_MASK = (1 << (32 - BIN_BITS)) - 1;

const EMPTY = 0xffffffff;

/** Minimum runs of a text; shorter texts are alike by chance, or by their templates. */
const RUNS_MIN = 12;

/** Code from which each character counts as a word, because these scripts are written without spaces. */
const UNSPACED_FROM = 0x2e80;

const isWordCode = (code: number): boolean =>
  code >= 128 || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);

const mix = (first: number, second: number, third: number): number => {
  const mixed = Math.imul(Math.imul(first ^ 0x9e3779b9, 0x85ebca6b) + second, 0xc2b2ae35) + third;
  const folded = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (folded ^ (folded >>> 13)) >>> 0;
};

/** Detects near-duplicate texts of an import. Signatures are kept in a file, so that a resumed import gives the same result. */
export type SeenTexts = {
  /** Returns whether a text nearly repeats an earlier one; if not, records it. */
  isCopy(text: string): boolean;
  /** Number of texts recorded so far. */
  count(): number;
  /** Writes new signatures. Call it before storing the count. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Maximum texts; further ones replace the oldest. They take 32 MB, and the lookup table half as much. */
const TEXTS_MAX = 1 << 20;
/** Minimum equal bytes, of 32, for two texts to count as copies: they then share about nine tenths of their runs. */
const EQUAL_MIN = 29;
const BANDS = 4;
const BAND_BYTES = SIGNATURE_BYTES / BANDS;

/** Opens the file with the first `count` texts. */
export async function openSeenTexts(path: string, count: number): Promise<SeenTexts> {
  makePrivateFolder(dirname(path));
  const file = await open(path, count === 0 ? 'w+' : 'r+', 0o600);
  const signatures = Buffer.alloc(TEXTS_MAX * SIGNATURE_BYTES);
  await readAll(file, signatures.subarray(0, Math.min(count, TEXTS_MAX) * SIGNATURE_BYTES));
  const slots = new Uint32Array(BANDS * TEXTS_MAX);
  const readSignature = (number: number): Buffer =>
    signatures.subarray((number % TEXTS_MAX) * SIGNATURE_BYTES, ((number % TEXTS_MAX) + 1) * SIGNATURE_BYTES);
  const remember = (number: number): void => {
    const signature = readSignature(number);
    for (let band = 0; band < BANDS; band += 1) slots[findSlot(signature, band)] = (number % TEXTS_MAX) + 1;
  };
  for (let number = Math.max(0, count - TEXTS_MAX); number < count; number += 1) remember(number);
  let known = count;
  let written = count;
  return {
    isCopy(text) {
      const signature = computeSignature(text);
      if (signature === null) return false;
      for (let band = 0; band < BANDS; band += 1) {
        const held = (slots[findSlot(signature, band)] ?? 0) - 1;
        if (held >= 0 && countEqualBytes(readSignature(held), signature) >= EQUAL_MIN) return true;
      }
      readSignature(known).set(signature);
      remember(known);
      known += 1;
      return false;
    },
    count: () => known,
    async flush() {
      for (; written < known; ) {
        const from = written % TEXTS_MAX;
        const texts = Math.min(known - written, TEXTS_MAX - from);
        await file.write(signatures, from * SIGNATURE_BYTES, texts * SIGNATURE_BYTES, from * SIGNATURE_BYTES);
        written += texts;
      }
    },
    close: () => file.close(),
  };
}

export async function dropSeenTexts(path: string): Promise<void> {
  await rm(path, { force: true });
}

async function readAll(file: FileHandle, bytes: Buffer): Promise<void> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
    // A missing signature can only let a copy through.
    if (bytesRead === 0) return;
    filled += bytesRead;
  }
}

/** Finds the slot of a band of bytes; it holds the last text with this band, or another that shares the slot. */
function findSlot(signature: Uint8Array, band: number): number {
  let hash = band + 1;
  for (let at = band * BAND_BYTES; at < (band + 1) * BAND_BYTES; at += 1)
    hash = Math.imul(hash ^ (signature[at] ?? 0), 0x01000193) + 0x7f4a7c15;
  return band * TEXTS_MAX + ((hash ^ (hash >>> 15)) & (TEXTS_MAX - 1));
}

function countEqualBytes(one: Uint8Array, other: Uint8Array): number {
  let equal = 0;
  for (let at = 0; at < SIGNATURE_BYTES; at += 1) if (one[at] === other[at]) equal += 1;
  return equal;
}

/**
 * Computes a signature for finding near-duplicates among millions of texts: one byte of the smallest hash of each bin (one-permutation
 * b-bit minwise hashing; Li, Owen and Zhang 2012), over runs of three words. The share of equal bytes is about the share of runs
 * that two texts have in common. Null for texts too short to judge. Some 20 microseconds for a page.
 */
function computeSignature(text: string): Uint8Array | null {
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
  return runs < RUNS_MIN ? null : packBins(bins);
}

/** Packs each bin into a byte. An empty bin borrows from the next filled one, mixed with its distance (Shrivastava and Li 2014). */
function packBins(bins: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(SIGNATURE_BYTES);
  for (let bin = 0; bin < SIGNATURE_BYTES; bin += 1) {
    let away = 0;
    while (bins[(bin + away) % SIGNATURE_BYTES] === EMPTY) away += 1;
    const value = (bins[(bin + away) % SIGNATURE_BYTES] ?? 0) + Math.imul(away, 0x632be5ab);
    bytes[bin] = Math.imul(value ^ (value >>> 11), 0x9e3779b1) >>> 24;
  }
  return bytes;
}
