import * as z from 'zod';
import type { JsonObject } from '../calls/call.ts';
import { buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { createCappedNumberSchema, storeField } from '../shape-b/fields.ts';
import { dateFields } from '../shape-b/published-span.ts';
import { query } from '../v1/wanted.ts';

/** Results per page, and the last page that has results. */
export const PAGE_RESULTS = 10;
export const PAGES_MAX = 5;

const FORMATS = ['json', 'csv', 'rss'] as const;
export type Format = (typeof FORMATS)[number];

/** An empty parameter counts as absent: forms send all their fields. */
const treatEmptyAsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema);

/** The parameters that have an effect (https://docs.searxng.org/dev/search_api.html). */
export const SearxngFields = z.object({
  q: query,
  format: z
    .unknown()
    .meta({ examples: FORMATS })
    .transform((given): Format => parseFormat(given) ?? 'json')
    .default('json'),
  pageno: treatEmptyAsAbsent(createCappedNumberSchema({ min: 1, max: PAGES_MAX + 1 }).default(1)),
  timeRange: dateFields.timeRange,
  store: storeField,
});

/** Values with which a parameter requests nothing beyond the default behaviour. */
const IDLE = new Map([
  ['language', /^(?:all|auto)?$/i],
  ['safesearch', /^0?$/],
  ['categories', /^(?:general)?$/i],
  ['engines', /^$/],
]);

const KNOWN_FIELDS = buildKnownFields(Object.keys(SearxngFields.shape));

/** Finds the parameters that request something without effect, in the caller's spelling. */
export function findIgnoredParameters(parameters: JsonObject): string[] {
  const asking = Object.entries(parameters).filter(
    ([name, given]) => !IDLE.get(name)?.test(String(given).trim()),
  );
  const { format } = parameters;
  const isOther = format !== undefined && format !== '' && parseFormat(format) === null;
  return [...(isOther ? ['format'] : []), ...findIgnoredFields(Object.fromEntries(asking), KNOWN_FIELDS)];
}

function parseFormat(given: unknown): Format | null {
  const named = String(given).trim().toLowerCase();
  return FORMATS.find((format) => format === named) ?? null;
}
