import fc from 'fast-check';

/** As much of JSON Schema as the description of the interface uses. */
export type Schema = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
};

const LIST_MAX = 4;
const TEXT_MAX = 40;

/** Values that the schema allows: its edges as well as the ordinary, examples where it names some. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.examples !== undefined) return fc.constantFrom(...schema.examples);
  if (schema.type === 'object') return bodiesOf(schema);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valuesOf));
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1_000_000, 1_000_000) });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0.01, max: schema.maximum ?? 10_000, noNaN: true });
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? LIST_MAX, LIST_MAX),
      });
    case 'string':
      return textsOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function textsOf({ minLength = 0, maxLength = TEXT_MAX, pattern }: Schema): fc.Arbitrary<string> {
  const ordinary = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, TEXT_MAX) });
  const longest = fc.constant('ß'.repeat(maxLength));
  const texts = maxLength > TEXT_MAX ? fc.oneof({ weight: 9, arbitrary: ordinary }, longest) : ordinary;
  const allowed = (text: string): boolean =>
    [...text].length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(text));
  return texts.filter(allowed);
}

/** Objects with all that is required, some of the rest, null for what is absent, either spelling of names, and fields that nobody knows. */
export function bodiesOf({ properties = {}, required = [], anyOf = [] }: Schema): fc.Arbitrary<object> {
  const needed =
    anyOf.length === 0 ? fc.constant([]) : fc.constantFrom(...anyOf.map((one) => one.required ?? []));
  return needed.chain((alternative) => {
    const must = new Set([...required, ...alternative]);
    const fields = Object.entries(properties).map(([name, schema]) => {
      const value = valuesOf(schema);
      const given = must.has(name) ? value : fc.option(fc.option(value, { nil: null }), { nil: undefined });
      return given.map((one): [string, unknown][] => (one === undefined ? [] : [[name, one]]));
    });
    return fc
      .tuple(fc.tuple(...fields), fc.boolean(), fc.boolean())
      .map(([given, snake, extra]) =>
        Object.fromEntries([
          ...given.flat().map(([name, value]) => [snake ? snakeName(name) : name, value]),
          ...(extra ? [['nobodyKnowsThis', { deep: [1] }]] : []),
        ]),
      );
  });
}

const snakeName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Things to put where something else belongs. */
const misfits = fc.constantFrom<unknown>(
  ...[[], {}, '', 'x', 0, -1, 1.5, 1e300, true, [null], [[]], { length: 3 }, '\u0000', 'x'.repeat(9_000)],
);

/** A body of the schema with one field of it put wrong, or no object at all. */
export function brokenBodiesOf(schema: Schema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {});
  const spoilt = fc
    .tuple(bodiesOf(schema), fc.constantFrom(...names), misfits)
    .map(([body, name, misfit]) => ({ ...body, [snakeName(name)]: undefined, [name]: misfit }));
  return fc.oneof({ weight: 8, arbitrary: spoilt }, { weight: 1, arbitrary: misfits });
}
