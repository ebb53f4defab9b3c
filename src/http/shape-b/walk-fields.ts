import type { z } from 'zod';
import { compilePattern, type UrlPattern } from '../../crawl/frontier/url-pattern.ts';
import { readInstructions } from '../../crawl/site/instructions.ts';
import type { SiteRequest } from '../../crawl/site/site-traversal.ts';
import type { Caller } from '../calls/caller.ts';
import { address } from '../v1/contents.ts';
import { clamped, flag, optionalQuery, textList, timeoutSeconds, withScheme, workMs } from './fields.ts';

/** Seconds that clients of the shape wait for a crawl or a map at most, and when they do not say. */
export const WALK_SECONDS_MAX = 150;
/** Pages of a walk that nobody pays for. */
const KEYLESS_PAGES_MAX = 10;
const PATTERNS_MAX = 20;
const DEPTH_MAX = 5;
const BREADTH_MAX = 500;
const DEPTH_DEFAULT = 1;
const BREADTH_DEFAULT = 20;
const PAGES_DEFAULT = 50;
const SHOWN_CHARS_MAX = 80;

/** Regular expressions; one that cannot be used is refused by name. */
const patterns = textList({ max: PATTERNS_MAX, what: 'regular expressions', example: '/docs/.*' }).transform(
  (texts, context) =>
    texts.flatMap((text): UrlPattern[] => {
      const compiled = compilePattern(text);
      if ('isIn' in compiled) return [compiled];
      const shown = text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
      context.addIssue({ code: 'custom', message: `the regular expression "${shown}" ${compiled.problem}` });
      return [];
    }),
);

/** The fields that a crawl and a map have in common. */
export const walkFields = {
  url: address,
  instructions: optionalQuery,
  maxDepth: clamped({ min: 1, max: DEPTH_MAX }),
  maxBreadth: clamped({ min: 1, max: BREADTH_MAX }),
  selectPaths: patterns,
  excludePaths: patterns,
  selectDomains: patterns,
  excludeDomains: patterns,
  allowExternal: flag.unwrap().default(true),
  timeout: timeoutSeconds(WALK_SECONDS_MAX),
  includeUsage: flag,
};

type WalkFields = z.output<z.ZodObject<typeof walkFields>>;

/** How many pages are asked for, of at most `max`; without a key they are few. */
export function pagesAskedFor(limit: number | undefined, max: number, caller: Caller): number {
  const asked = Math.min(Math.floor(limit ?? PAGES_DEFAULT), max);
  return caller.kind === 'keyless' ? Math.min(asked, KEYLESS_PAGES_MAX) : asked;
}

/** Parsed fields -> what is wanted of the site. */
export function siteRequestOf(
  fields: WalkFields,
  { pagesMax, signal, tenant }: Pick<SiteRequest, 'pagesMax' | 'signal' | 'tenant'>,
): SiteRequest {
  const { url, instructions, selectPaths, excludePaths, selectDomains, excludeDomains, allowExternal } =
    fields;
  const start = withScheme(url);
  return {
    // Nobody said which scheme: what does not speak https may speak http.
    starts: start === url ? [start] : [start, start.replace(/^https:/, 'http:')],
    wishes: { selectPaths, excludePaths, selectDomains, excludeDomains, allowExternal },
    depthMax: Math.floor(fields.maxDepth ?? DEPTH_DEFAULT),
    breadthMax: Math.floor(fields.maxBreadth ?? BREADTH_DEFAULT),
    pagesMax,
    instructions: instructions === null ? null : readInstructions(instructions),
    budgetMs: workMs(fields.timeout ?? WALK_SECONDS_MAX, WALK_SECONDS_MAX * 1_000),
    signal,
    tenant,
  };
}
