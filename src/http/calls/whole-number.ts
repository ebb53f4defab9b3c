import { z } from 'zod';

const REASON = 'must be a whole number';

/** A whole number of any size from `min` on; one too large to be exact counts as the largest exact one. */
export const wholeNumber = (min: number) =>
  z.preprocess(withinExact, z.number(REASON).int(REASON).min(min, `must be ${min} or more`));

/** JSON may write more digits than a number holds, and an exponent that makes it infinite. */
function withinExact(given: unknown): unknown {
  const isTooLarge = typeof given === 'number' && given > Number.MAX_SAFE_INTEGER;
  return isTooLarge ? Number.MAX_SAFE_INTEGER : given;
}
