import type { JsonObject } from './call.ts';

/** The fields that have a value. */
export function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Rounds to four decimals: enough to distinguish results, without false precision. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

/** A PNG in base64 -> an address that shows it: whoever has the answer has the picture, and nobody else. */
export const pictureUrl = (png: string): string => `data:image/png;base64,${png}`;
