import * as z from 'zod';
import { PAGE_TIMEOUT_MS } from '../../contract/limits.ts';
import type { OpeningOptions } from '../../pages/open-page-types.ts';
import { createLenientSchema } from '../calls/field-schemas.ts';

const HOUR_MS = 3_600_000;

/** Fields that decide how pages are opened. Unknown values have no effect, because clients add new ones. */
export const openingFields = {
  livecrawl: createLenientSchema(z.string(), {
    description: 'When to fetch a page instead of using a cached copy: always, preferred, fallback or never.',
    examples: ['always', 'preferred', 'fallback', 'never'],
  }),
  livecrawlTimeout: createLenientSchema(z.number().positive(), {
    description: 'Time limit per page in milliseconds.',
    examples: [10_000],
  }),
  maxAgeHours: createLenientSchema(z.number(), {
    description:
      'Maximum age of a cached copy in hours: 0 always fetches, a negative value uses only cached copies.',
    examples: [24, 0, -1],
  }),
};

/** Description of `store`, the same in every body. */
export const STORE = {
  description:
    'false: nothing that the call reads is kept for other callers, neither in the index nor in a cache. A copy that is kept already may still be returned.',
};

/** False: nothing that the call reads may be kept. */
export const storeField = z.boolean('must be true or false').default(true).meta(STORE);

type OpeningFields = z.output<z.ZodObject<typeof openingFields>>;

/**
 * Converts parsed fields to how pages are opened, or undefined for the default. `maxAgeHours` overrides the older `livecrawl`: 0 or
 * `always` fetches and never uses a cached copy, below 0 or `never` uses only a cached copy, `preferred` uses a cached copy only when the
 * fetch fails.
 */
export function buildOpening({
  livecrawl,
  livecrawlTimeout,
  maxAgeHours,
}: OpeningFields): OpeningOptions | undefined {
  const age = maxAgeHours === undefined ? buildOpeningByWord(livecrawl) : buildOpeningByAge(maxAgeHours);
  const timeout =
    livecrawlTimeout === undefined
      ? {}
      : { timeoutMs: Math.min(PAGE_TIMEOUT_MS, Math.max(1, Math.round(livecrawlTimeout))) };
  const opening = { ...age, ...timeout };
  return Object.keys(opening).length === 0 ? undefined : opening;
}

function buildOpeningByAge(hours: number): OpeningOptions {
  if (hours < 0) return { copies: 'only' };
  return hours === 0 ? { freshMs: 0, copies: 'never' } : { freshMs: hours * HOUR_MS };
}

function buildOpeningByWord(livecrawl: string | undefined): OpeningOptions {
  switch (livecrawl) {
    case 'always':
      return buildOpeningByAge(0);
    case 'never':
      return buildOpeningByAge(-1);
    case 'preferred':
      return { freshMs: 0 };
    default:
      return {};
  }
}
