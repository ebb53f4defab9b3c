import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../../../platform/store/private-files.ts';
import { SIGNATURE_BYTES, signatureOf } from './text-signature.ts';

/** The texts of an import, remembered in a file beside the store, so that a resumed import folds as one that was never interrupted. */
export type SeenTexts = {
  /** Whether a text nearly repeats an earlier one; if not, it is remembered. */
  isCopy(text: string): boolean;
  /** Texts remembered so far. */
  count(): number;
  /** Writes what is new. To be called before the count is stored. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Further texts replace the oldest: 32 MB, and half as much to find them by. */
const TEXTS_MAX = 1 << 20;
/** Equal bytes of 32 from which two texts share about nine tenths of their runs. */
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
  const signatureAt = (number: number): Buffer =>
    signatures.subarray((number % TEXTS_MAX) * SIGNATURE_BYTES, ((number % TEXTS_MAX) + 1) * SIGNATURE_BYTES);
  const remember = (number: number): void => {
    const signature = signatureAt(number);
    for (let band = 0; band < BANDS; band += 1) slots[slotOf(signature, band)] = (number % TEXTS_MAX) + 1;
  };
  for (let number = Math.max(0, count - TEXTS_MAX); number < count; number += 1) remember(number);
  let known = count;
  let written = count;
  return {
    isCopy(text) {
      const signature = signatureOf(text);
      if (signature === null) return false;
      for (let band = 0; band < BANDS; band += 1) {
        const held = (slots[slotOf(signature, band)] ?? 0) - 1;
        if (held >= 0 && equalBytes(signatureAt(held), signature) >= EQUAL_MIN) return true;
      }
      signatureAt(known).set(signature);
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
    // What is missing is forgotten; it can only let a copy through.
    if (bytesRead === 0) return;
    filled += bytesRead;
  }
}

/** Each band of bytes leads to the last text that had it, or another that shares its slot. */
function slotOf(signature: Uint8Array, band: number): number {
  let hash = band + 1;
  for (let at = band * BAND_BYTES; at < (band + 1) * BAND_BYTES; at += 1)
    hash = Math.imul(hash ^ (signature[at] ?? 0), 0x01000193) + 0x7f4a7c15;
  return band * TEXTS_MAX + ((hash ^ (hash >>> 15)) & (TEXTS_MAX - 1));
}

function equalBytes(one: Uint8Array, other: Uint8Array): number {
  let equal = 0;
  for (let at = 0; at < SIGNATURE_BYTES; at += 1) if (one[at] === other[at]) equal += 1;
  return equal;
}
