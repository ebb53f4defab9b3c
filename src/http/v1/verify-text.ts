import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import type { CheckClaims, CheckedClaim } from '../../search/check-claims.ts';
import { readCitedText } from '../../text/proof/read-cited-text.ts';
import type { Writer } from '../../writing/writer.ts';
import type { PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { buildIncompleteField } from '../calls/incomplete.ts';
import { createValidationFailure, parseBody } from '../calls/json-body.ts';
import { judgeClaims } from '../writing/judge-claims.ts';
import { listUnwritten } from '../writing/write-text.ts';
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
 * POST /v1/verify with `text`: what the cited pages say about each statement. A credit for each page that is opened; where the operator's
 * model decided what the rules had not found, as much more as a text about one page. Errors: 422 validation_error, 503 overloaded.
 */
export function createVerifyTextHandler(
  checkClaims: CheckClaims,
  writer: Writer | null,
): PricedRoute['prepare'] {
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
    const least = pages * PRICES.contentsPerUrl;
    const call = { tenant, keep: keep && wanted.store };
    return {
      most: least + (writer === null || pages === 0 ? 0 : PRICES.writtenPage),
      least,
      async work(signal, credits) {
        const answer = await checkClaims({ claims, signal, ...call });
        const used = answer.opened.length * PRICES.contentsPerUrl;
        const isPaid = credits - used >= PRICES.writtenPage;
        const judged =
          writer === null || !isPaid
            ? { claims: answer.claims, decided: 0, part: null }
            : await judgeClaims(writer, answer.claims, { signal, ...call });
        const incomplete = listUnwritten(judged.part);
        return {
          used: used + (judged.decided > 0 ? PRICES.writtenPage : 0),
          cost: buildCostDollars,
          incomplete,
          headers,
          body: {
            requestId,
            statements: judged.claims.map(({ near, ...claim }) => claim),
            counts: countVerdicts(judged.claims),
            pages: { opened: answer.opened, failed: answer.failed },
            ...(incomplete.length === 0 ? {} : { service: buildIncompleteField(incomplete) }),
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
