import { isDeepStrictEqual } from 'node:util';
import { carryOut, type Operation, type ReferenceLedger } from './reference-ledger.ts';

/** All orders of the operations are tried: 120 for five. */
export const AT_ONCE_MAX = 5;

/**
 * Looks for an order in which the operations, run in sequence, would have given the same results. Returns the reference after
 * them, or null when there is no such order. `agrees` chooses among orders with equal results.
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
