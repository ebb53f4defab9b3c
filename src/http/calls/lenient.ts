import * as z from 'zod';

type FieldDescription = { description: string; examples: unknown[] };

/** Creates a schema that turns values that do not fit into undefined; documented as any type, because no value is refused. */
export function createLenientSchema<Value>(schema: z.ZodType<Value>, described: FieldDescription) {
  return z
    .unknown()
    .meta(described)
    .transform((given) => schema.safeParse(given).data)
    .optional();
}
