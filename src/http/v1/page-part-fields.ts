import * as z from 'zod';
import { CONTEXT_CHARS_DEFAULT, PAGE_LINKS_MAX, SUBPAGES } from '../../contract/limits.ts';
import type { DetailsOptions } from '../../search/pages/page-details.ts';
import type { SubpagesOptions } from '../../search/pages/subpages.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import type { Caller } from '../calls/call.ts';
import { createLenientSchema } from '../calls/field-schemas.ts';
import type { KnownFields } from '../calls/ignored-fields.ts';
import { isWithinQueryLength } from './content-fields.ts';

const text = z.string().refine(isWithinQueryLength);
const count = z.number().int().positive();

/** An extractive summary; a summary in the form of a schema would need a model. */
const summary = z.union([
  z.literal(true).transform(() => ({})),
  z.object({ query: text.optional().catch(undefined), schema: z.undefined().optional() }),
]);
const context = z.union([
  z.literal(true).transform(() => ({})),
  z.object({ maxCharacters: count.optional().catch(undefined) }),
]);
const extras = z.object({
  links: count.optional().catch(undefined),
  imageLinks: count.optional().catch(undefined),
});
const targets = z.union([text.transform((one) => [one]), z.array(text).max(SUBPAGES.perPageMax)]);

/** Further parts of pages. Invalid values have no effect instead of failing, because clients have long sent them and had them ignored. */
export const extraFields = {
  summary: createLenientSchema(summary, {
    description:
      'The sentences of the page that match the query best, verbatim; with a `schema` there is no summary.',
    examples: [true, { query: 'how it works' }],
  }),
  context: createLenientSchema(context, {
    description: `The contents of all results as one text, by default of at most ${CONTEXT_CHARS_DEFAULT.toLocaleString('en')} characters.`,
    examples: [true, { maxCharacters: 20_000 }],
  }),
  extras: createLenientSchema(extras, {
    description: `Links and pictures of each page, at most ${PAGE_LINKS_MAX} of each.`,
    examples: [{ links: 10, imageLinks: 5 }],
  }),
  subpages: createLenientSchema(count, {
    description: `Pages of the same site to open for each page that links to them: at most ${SUBPAGES.perPageMax}, and ${SUBPAGES.max} for the whole call. Each that loads costs as much as a page.`,
    examples: [2],
  }),
  subpageTarget: createLenientSchema(targets, {
    description: 'Words that the addresses of subpages should hold.',
    examples: ['docs', ['about', 'contact']],
  }),
};

type ExtraFields = z.output<z.ZodObject<typeof extraFields>>;

/** Returns a check whether a value fits the schema. */
export const matchesSchema =
  (schema: z.ZodType) =>
  (value: unknown): boolean =>
    schema.safeParse(value).success;

/** The extra fields that have an effect, and the values with which they do. */
export const EXTRA_KNOWN: KnownFields = {
  summary: (value) => value === false || matchesSchema(summary)(value),
  context: (value) => value === false || matchesSchema(context)(value),
  extras: { links: matchesSchema(count), imageLinks: matchesSchema(count) },
  subpages: matchesSchema(count),
  subpageTarget: matchesSchema(targets),
};

/** Page parts that the extra fields request. */
export type Extras = {
  summary?: NonNullable<WantedParts['summary']>;
  details?: DetailsOptions;
  /** The length of the joined contents; null: not requested. */
  contextChars: number | null;
  subpages?: Omit<SubpagesOptions, 'most'>;
};

export const NO_EXTRAS: Extras = { contextChars: null };

export function buildExtras(fields: ExtraFields): Extras {
  const { summary: asked, context: joined, extras: counted, subpages, subpageTarget = [] } = fields;
  const links = Math.min(counted?.links ?? 0, PAGE_LINKS_MAX);
  const images = Math.min(counted?.imageLinks ?? 0, PAGE_LINKS_MAX);
  return {
    ...(asked === undefined ? {} : { summary: { query: trimQuery(asked) } }),
    ...(links + images === 0 ? {} : { details: { links, images } }),
    contextChars:
      joined === undefined
        ? null
        : (('maxCharacters' in joined ? joined.maxCharacters : undefined) ?? CONTEXT_CHARS_DEFAULT),
    ...(subpages === undefined
      ? {}
      : { subpages: { perPage: Math.min(subpages, SUBPAGES.perPageMax), targets: subpageTarget } }),
  };
}

const trimQuery = (asked: { query?: string | undefined }): string | null => asked.query?.trim() || null;

/** Computes how many subpages a call for `pages` pages may open. */
export function computeSubpagesMax(
  { subpages }: Extras,
  { pages, caller }: { pages: number; caller: Caller },
): number {
  const most = caller.kind === 'keyless' ? SUBPAGES.keylessMax : SUBPAGES.max;
  return subpages === undefined ? 0 : Math.min(pages * subpages.perPage, most);
}
