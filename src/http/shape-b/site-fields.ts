import type { z } from 'zod';
import { SITE } from '../../contract/limits.ts';
import { compilePattern, type UrlPattern } from '../../crawl/frontier/url-pattern.ts';
import { parseInstructions } from '../../crawl/site/instructions.ts';
import type { SiteRequest } from '../../crawl/site/site-types.ts';
import { addScheme } from '../calls/json-body.ts';
import {
  createClampedSchema,
  createTextListSchema,
  flag,
  optionalQuery,
  storeField,
} from '../compat/fields.ts';
import { address } from '../v1/contents.ts';
import { computeWorkMs, createTimeoutSchema } from './fields.ts';

const SHOWN_CHARS_MAX = 80;

/** Regular expressions; the error quotes the invalid one. */
const patterns = createTextListSchema({
  max: SITE.patterns.max,
  what: 'regular expressions',
  example: '/docs/.*',
}).transform((texts, context) =>
  texts.flatMap((text): UrlPattern[] => {
    const compiled = compilePattern(text);
    if ('isIn' in compiled) return [compiled];
    const shown = text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
    context.addIssue({ code: 'custom', message: `the regular expression "${shown}" ${compiled.problem}` });
    return [];
  }),
);

/** The fields that crawl and map share. */
export const siteFields = {
  url: address,
  instructions: optionalQuery,
  maxDepth: createClampedSchema({ min: 1, max: SITE.depth.max, usual: SITE.depth.default }),
  maxBreadth: createClampedSchema({ min: 1, max: SITE.breadth.max, usual: SITE.breadth.default }),
  selectPaths: patterns,
  excludePaths: patterns,
  selectDomains: patterns,
  excludeDomains: patterns,
  allowExternal: flag.unwrap().default(true),
  timeout: createTimeoutSchema(SITE.secondsMax),
  includeUsage: flag,
  store: storeField,
};

type SiteFields = z.output<z.ZodObject<typeof siteFields>>;

export function buildSiteRequest(
  fields: SiteFields,
  { pagesMax, signal, tenant, keep }: { keep: boolean } & Pick<SiteRequest, 'pagesMax' | 'signal' | 'tenant'>,
): SiteRequest {
  const { url, instructions, selectPaths, excludePaths, selectDomains, excludeDomains, allowExternal } =
    fields;
  const start = addScheme(url);
  return {
    // Without a scheme, fall back to http for hosts that do not serve https.
    starts: start === url ? [start] : [start, start.replace(/^https:/, 'http:')],
    filters: { selectPaths, excludePaths, selectDomains, excludeDomains, allowExternal },
    depthMax: Math.floor(fields.maxDepth ?? SITE.depth.default),
    breadthMax: Math.floor(fields.maxBreadth ?? SITE.breadth.default),
    pagesMax,
    instructions: instructions === null ? null : parseInstructions(instructions),
    budgetMs: computeWorkMs(fields.timeout ?? SITE.secondsMax, SITE.secondsMax * 1_000),
    signal,
    tenant,
    keep: keep && fields.store,
  };
}
