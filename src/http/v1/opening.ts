import { z } from 'zod';
import { PAGE_TIMEOUT_MS } from '../../contract/limits.ts';
import type { Opening } from '../../pages/open-page-types.ts';

const HOUR_MS = 3_600_000;

/** How pages are to be opened, beside the parts of them. What is not understood has no effect: the words of clients grow. */
export const openingFields = {
  livecrawl: ifIt(z.string(), {
    description: 'Whether pages are fetched anew: always, preferred, fallback or never.',
    examples: ['always', 'preferred', 'fallback', 'never'],
  }),
  livecrawlTimeout: ifIt(z.number().positive(), {
    description: 'Milliseconds that a page may take.',
    examples: [10_000],
  }),
  maxAgeHours: ifIt(z.number(), {
    description: 'How old a kept copy may be: 0 fetches anew, below 0 takes whatever is kept.',
    examples: [24, 0, -1],
  }),
};

/** What fits the schema, or else nothing; described as anything, because anything is taken. */
function ifIt<Value>(schema: z.ZodType<Value>, described: { description: string; examples: unknown[] }) {
  return z
    .unknown()
    .meta(described)
    .transform((given) => schema.safeParse(given).data)
    .optional();
}

type OpeningFields = z.output<z.ZodObject<typeof openingFields>>;

/**
 * Parsed fields -> how to open, or undefined when they ask for nothing. Of `maxAgeHours` and the older `livecrawl` the first counts:
 * 0 or `always` is the page as it is now, below 0 or `never` a kept copy alone, `preferred` a kept copy only when the page fails.
 */
export function openingOf({ livecrawl, livecrawlTimeout, maxAgeHours }: OpeningFields): Opening | undefined {
  const age = maxAgeHours === undefined ? byWord(livecrawl) : byAge(maxAgeHours);
  const timeout =
    livecrawlTimeout === undefined
      ? {}
      : { timeoutMs: Math.min(PAGE_TIMEOUT_MS, Math.max(1, Math.round(livecrawlTimeout))) };
  const opening = { ...age, ...timeout };
  return Object.keys(opening).length === 0 ? undefined : opening;
}

function byAge(hours: number): Opening {
  if (hours < 0) return { copies: 'only' };
  return hours === 0 ? { freshMs: 0, copies: 'never' } : { freshMs: hours * HOUR_MS };
}

function byWord(livecrawl: string | undefined): Opening {
  switch (livecrawl) {
    case 'always':
      return byAge(0);
    case 'never':
      return byAge(-1);
    case 'preferred':
      return { freshMs: 0 };
    default:
      return {};
  }
}
