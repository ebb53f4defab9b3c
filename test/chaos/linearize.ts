import { isDeepStrictEqual } from 'node:util';
import { carryOut, type Operation, type ReferenceLedger } from './reference-ledger.ts';

/** Operations that are tried in every order: 120 orders. */
export const AT_ONCE_MAX = 5;

/**
 * Operations that ran at once, and what each answered -> the reference after them, in an order in which one after the other
 * would have answered the same; null when there is no such order. `agrees` chooses among orders that answer alike.
 */
export function linearize(
  before: ReferenceLedger,
  ran: { asked: Operation; answered: unknown }[],
  agrees: (after: ReferenceLedger) => boolean,
): ReferenceLedger | null {
  if (ran.length === 0) return agrees(before) ? before : null;
  for (const [place, { asked, answered }] of ran.entries()) {
    const after = structuredClone(before);
    if (!isDeepStrictEqual(carryOut(after, asked), answered)) continue;
    const whole = linearize(after, ran.toSpliced(place, 1), agrees);
    if (whole !== null) return whole;
  }
  return null;
}
