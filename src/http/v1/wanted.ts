import { z } from 'zod';
import { HIGHLIGHTS_DEFAULT, HIGHLIGHTS_MAX, QUERY_CHARS_MAX } from '../../contract/limits.ts';
import type { ContentsWanted } from '../../text/prune/page-parts.ts';
import { wholeNumber } from '../calls/whole-number.ts';

const count = wholeNumber(1);

/** Characters as a reader counts them, not UTF-16 units. */
export const withinQueryLength = (text: string): boolean =>
  text.length <= QUERY_CHARS_MAX || [...text.slice(0, 2 * QUERY_CHARS_MAX + 1)].length <= QUERY_CHARS_MAX;

/** Text of 1 to 2,000 characters that is not only white space. */
export const query = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .refine((text) => text.trim() !== '', 'must not be empty')
  .refine(withinQueryLength, `must have at most ${QUERY_CHARS_MAX.toLocaleString('en')} characters`)
  .meta({ minLength: 1, maxLength: QUERY_CHARS_MAX, pattern: '\\S' });

const ownQuery = z
  .string('must be a string')
  .refine(withinQueryLength, `must have at most ${QUERY_CHARS_MAX.toLocaleString('en')} characters`)
  .transform((text) => (text.trim() === '' ? null : text))
  .optional()
  .meta({ maxLength: QUERY_CHARS_MAX });

/** `true`, `false` or an object of options -> options (none for `true`) or null for `false`; absent stays absent. */
const option = <Shape extends z.ZodRawShape>(shape: Shape, description: string) =>
  z
    .preprocess(
      (given) => (given === true ? {} : given === false ? null : given),
      z.object(shape, 'must be true, false or an object of options').nullable(),
    )
    .meta({ also: [{ type: 'boolean' }], description })
    .optional();

/** The three parts of a page that can be asked for, as they stand in `contents` of a search and at the top of a contents call. */
export const wantedFields = {
  text: option({ maxCharacters: count.optional() }, 'The page as Markdown.'),
  highlights: option(
    {
      query: ownQuery.meta({ description: 'What the passages are for; the query of the search by default.' }),
      maxCharacters: count.optional().meta({ description: 'Of all highlights of a page together.' }),
      highlightsPerUrl: count
        .optional()
        .meta({ description: `${HIGHLIGHTS_DEFAULT} by default, ${HIGHLIGHTS_MAX} at most.` }),
    },
    'The passages that bear on the query, 400 to 700 characters each.',
  ),
  prunedContext: option({ query: ownQuery }, 'The page reduced to what bears on the query.'),
};

type WantedFields = z.output<z.ZodObject<typeof wantedFields>>;

/** Parsed fields -> what is wanted of each page. */
export function wantedOf({ text, highlights, prunedContext }: WantedFields): ContentsWanted {
  const highlightQuery = highlights?.query ?? null;
  return {
    text: text ? { charsMax: text.maxCharacters ?? null } : null,
    highlights: highlights
      ? {
          query: highlightQuery,
          perUrl: Math.min(highlights.highlightsPerUrl ?? HIGHLIGHTS_DEFAULT, HIGHLIGHTS_MAX),
          charsMax: highlights.maxCharacters ?? null,
        }
      : null,
    pruned: prunedContext ? { query: prunedContext.query ?? highlightQuery } : null,
  };
}

/** Whether any part is wanted at all. */
export function wantsAny({ text, highlights, pruned }: ContentsWanted): boolean {
  return text !== null || highlights !== null || pruned !== null;
}
