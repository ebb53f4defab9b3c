import * as z from 'zod';

const REASON = 'must be a whole number';
/** A whole number of at least `min`; clamped to the largest safe integer. */
export const createWholeNumberSchema = (min: number) =>
  z.preprocess(clampToSafeInteger, z.number(REASON).int(REASON).min(min, `must be ${min} or more`));

type FieldDescription = { description: string; examples: unknown[] };

/** Creates a schema that turns values that do not fit into undefined; documented as any type, because no value is refused. */
export function createLenientSchema<Value>(schema: z.ZodType<Value>, described: FieldDescription) {
  return z
    .unknown()
    .meta(described)
    .transform((given) => schema.safeParse(given).data)
    .optional();
}

/** JSON allows more digits than a number can hold, and exponents that overflow to infinity. */
function clampToSafeInteger(given: unknown): unknown {
  const isTooLarge = typeof given === 'number' && given > Number.MAX_SAFE_INTEGER;
  return isTooLarge ? Number.MAX_SAFE_INTEGER : given;
}
