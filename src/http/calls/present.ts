import type { JsonObject } from './call.ts';

/** Drops fields that are null or undefined. */
export function omitNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Rounds to four decimals: enough to distinguish results, without false precision. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

/** Builds the data URL of a PNG in base64, so that the image needs no storage and only the caller has it. */
export const buildPictureUrl = (png: string): string => `data:image/png;base64,${png}`;
