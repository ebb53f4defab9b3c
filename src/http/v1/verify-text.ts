import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import type { CheckClaims, CheckedClaim } from '../../search/check-claims.ts';
import { readCitedText } from '../../text/proof/read-cited-text.ts';
import type { PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { createValidationFailure, parseBody } from '../calls/json-body.ts';
import { buildCostDollars } from './cost.ts';
import { storeField } from './opening.ts';

const TEXT_CHARS_MAX = 50_000;
const PAGES_MAX = 10;
const STATEMENTS_MAX = 200;

export const VerifyTextBody = z.object({
  text: z
    .string('must be a string')
    .max(TEXT_CHARS_MAX, `must have at most ${TEXT_CHARS_MAX.toLocaleString('en')} characters`)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .meta({
      pattern: '\\S',
      description: `A text with citations: Markdown links, footnotes (\`[^1]\`), or numbers (\`[1]\`) with a list of sources; at most ${PAGES_MAX} pages and ${STATEMENTS_MAX} sentences.`,
    }),
  store: storeField,
});

const KNOWN_FIELDS = buildKnownFields(Object.keys(VerifyTextBody.shape));

/**
 * POST /v1/verify with `text`: what the cited pages say about each statement. A credit for each page that is opened. Errors: 422
 * validation_error, 503 overloaded.
 */
export function createVerifyTextHandler(checkClaims: CheckClaims): PricedRoute['prepare'] {
  return ({ body, requestId, tenant, keep }) => {
    const wanted = parseBody(VerifyTextBody, body);
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    const claims = readCitedText(wanted.text);
    if (claims.length > STATEMENTS_MAX)
      throw createValidationFailure([
        { field: 'text', message: `must have at most ${STATEMENTS_MAX} sentences, and has ${claims.length}` },
      ]);
    const pages = new Set(claims.flatMap(({ urls }) => urls)).size;
    if (pages > PAGES_MAX)
      throw createValidationFailure([{ field: 'text', message: `must cite at most ${PAGES_MAX} pages` }]);
    return {
      most: pages * PRICES.contentsPerUrl,
      async work(signal) {
        const answer = await checkClaims({ claims, signal, tenant, keep: keep && wanted.store });
        return {
          used: answer.opened.length * PRICES.contentsPerUrl,
          cost: buildCostDollars,
          headers,
          body: {
            requestId,
            statements: answer.claims,
            counts: countVerdicts(answer.claims),
            pages: { opened: answer.opened, failed: answer.failed },
          },
        };
      },
    };
  };
}

function countVerdicts(claims: readonly CheckedClaim[]): Record<string, number> {
  const counts = { supported: 0, contradicted: 0, not_found: 0, not_cited: 0, not_opened: 0 };
  for (const { verdict } of claims) counts[verdict] += 1;
  return counts;
}
