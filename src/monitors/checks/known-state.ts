import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** What a monitor saw at its last check that succeeded; null parts were not seen yet. */
export type KnownState = {
  /** The text of a page, with those of the two visits before it, the oldest first. */
  page?: { title: string; text: string; earlier: string[] };
  /** The pages of a site by address, with the hash of their text; null: not read yet. `next`: the place where the next check begins to read. */
  site?: { pages: Record<string, string | null>; next: number };
  /** Addresses of entries or results, the newest last. */
  seen?: string[];
  /** The page could not be read at the last checks, and its owner was told. */
  isUnreachable?: true;
};

/** Maximum bytes of a state when it is read again; what `encodeKnownState` writes is far smaller. */
const STATE_BYTES_MAX = 16 * 1_048_576;

/** Writes a state as text: JSON, deflated, in base64. */
export function encodeKnownState(state: KnownState): string {
  return deflateRawSync(JSON.stringify(state)).toString('base64');
}

export function decodeKnownState(text: string | null): KnownState {
  if (text === null) return {};
  const bytes = inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: STATE_BYTES_MAX });
  // Written by `encodeKnownState`.
  return JSON.parse(bytes.toString()) as KnownState;
}
