import * as z from 'zod';
import { HIGHLIGHTS_DEFAULT, HIGHLIGHTS_MAX, QUERY_CHARS_MAX } from '../../contract/limits.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import { createWholeNumberSchema } from '../calls/field-schemas.ts';

const count = createWholeNumberSchema(1);

/** Counts code points, not UTF-16 code units. */
export const isWithinQueryLength = (text: string): boolean =>
  text.length <= QUERY_CHARS_MAX || [...text.slice(0, 2 * QUERY_CHARS_MAX + 1)].length <= QUERY_CHARS_MAX;

/** Text of 1 to 2,000 characters, not all white space. */
export const query = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .refine((text) => text.trim() !== '', 'must not be empty')
  .refine(isWithinQueryLength, `must have at most ${QUERY_CHARS_MAX.toLocaleString('en')} characters`)
  .meta({ minLength: 1, maxLength: QUERY_CHARS_MAX, pattern: '\\S' });

const ownQuery = z
  .string('must be a string')
  .refine(isWithinQueryLength, `must have at most ${QUERY_CHARS_MAX.toLocaleString('en')} characters`)
  .transform((text) => (text.trim() === '' ? null : text))
  .optional()
  .meta({ maxLength: QUERY_CHARS_MAX });

/** `true` -> {}, `false` -> null, an object -> its options; absent stays absent. */
const createOptionSchema = <Shape extends z.ZodRawShape>(shape: Shape, description: string) =>
  z
    .preprocess(
      (given) => (given === true ? {} : given === false ? null : given),
      z.object(shape, 'must be true, false or an object of options').nullable(),
    )
    .meta({ also: [{ type: 'boolean' }], description })
    .optional();

/** The three parts of a page that a caller can request: within `contents` of a search, at the top level of a contents call. */
export const wantedFields = {
  text: createOptionSchema({ maxCharacters: count.optional() }, 'The page as Markdown.'),
  highlights: createOptionSchema(
    {
      query: ownQuery.meta({
        description: 'What the passages must be relevant to; defaults to the search query.',
      }),
      maxCharacters: count.optional().meta({
        description:
          'Limit for all highlights of a page together; without `highlightsPerUrl`, as many as it has room for.',
      }),
      highlightsPerUrl: count.optional().meta({
        description: `Default ${HIGHLIGHTS_DEFAULT} (without \`maxCharacters\`), at most ${HIGHLIGHTS_MAX}.`,
      }),
    },
    'The passages relevant to the query, 400 to 700 characters each.',
  ),
  prunedContext: createOptionSchema({ query: ownQuery }, 'The parts of the page relevant to the query.'),
};

type WantedFields = z.output<z.ZodObject<typeof wantedFields>>;

/** Converts parsed fields to the parts of each page to return. */
export function buildWantedParts({ text, highlights, prunedContext }: WantedFields): WantedParts {
  const highlightQuery = highlights?.query ?? null;
  return {
    text: text ? { charsMax: text.maxCharacters ?? null } : null,
    highlights: highlights
      ? {
          query: highlightQuery,
          perUrl: countHighlightsPerUrl(highlights),
          charsMax: highlights.maxCharacters ?? null,
        }
      : null,
    pruned: prunedContext ? { query: prunedContext.query ?? highlightQuery } : null,
  };
}

/** With a character limit the default is the maximum, so that the limit is used up. */
function countHighlightsPerUrl(wanted: {
  highlightsPerUrl?: number | undefined;
  maxCharacters?: number | undefined;
}): number {
  const usual = wanted.maxCharacters === undefined ? HIGHLIGHTS_DEFAULT : HIGHLIGHTS_MAX;
  return Math.min(wanted.highlightsPerUrl ?? usual, HIGHLIGHTS_MAX);
}

export function wantsAny({ text, highlights, pruned }: WantedParts): boolean {
  return text !== null || highlights !== null || pruned !== null;
}
