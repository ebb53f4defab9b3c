import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import { QUOTE_CHARS_MAX, QUOTES_MAX } from '../../contract/limits.ts';
import type { CheckClaims } from '../../search/check-claims.ts';
import type { VerifiedQuote, Verify, VerifyAnswer } from '../../search/verify.ts';
import { RECORD_ID } from '../../versions/records.ts';
import type { Writer } from '../../writing/writer.ts';
import type { Caller, JsonObject, PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { parseBody } from '../calls/json-body.ts';
import { address } from './contents.ts';
import { buildCostDollars } from './cost.ts';
import { storeField } from './opening.ts';
import { createRecordOpener, type RecordDeps } from './records.ts';
import { createVerifyTextHandler } from './verify-text.ts';

const quote = z
  .string('must be a string')
  .max(QUOTE_CHARS_MAX, `must have at most ${QUOTE_CHARS_MAX.toLocaleString('en')} characters`)
  .refine((text) => text.trim() !== '', 'must not be empty')
  .meta({ pattern: '\\S' });

const tooMany = `must have at most ${QUOTES_MAX} quotations`;

export const VerifyBody = z
  .object({
    url: address,
    quote: quote.optional(),
    quotes: z
      .array(quote, 'must be an array of strings')
      .max(QUOTES_MAX, tooMany)
      .meta({ description: `Quotations; with \`quote\`, 1 to ${QUOTES_MAX} in total.` })
      .default([]),
    contentHash: z
      .string('must be a string')
      .regex(/^sha256:[0-9a-f]{64}$/, 'must be "sha256:" and 64 hexadecimal digits, copied from a response')
      .meta({
        examples: [`sha256:${'0'.repeat(64)}`],
        description: 'Hash of the page when it was quoted; `changed` reports whether the page differs now.',
      })
      .optional(),
    record: z
      .string('must be a string')
      .regex(RECORD_ID, 'must be the id of a record')
      .optional()
      .meta({
        description:
          'Checks against the text that this record of the caller keeps, not against the page as it is now. `contentHash` chooses among texts of one page.',
        examples: [`rec_${'0'.repeat(32)}`],
      }),
    store: storeField,
  })
  .refine((body) => body.quote !== undefined || body.quotes.length > 0, {
    path: ['quotes'],
    error: `must hold 1 to ${QUOTES_MAX} quotations, or quote one`,
  })
  .refine((body) => body.quotes.length + (body.quote === undefined ? 0 : 1) <= QUOTES_MAX, {
    path: ['quotes'],
    error: `${tooMany} together with quote`,
  })
  .meta({
    anyOf: [{ required: ['quote'] }, { required: ['quotes'], properties: { quotes: { minItems: 1 } } }],
  });

type VerifyDeps = {
  verify: Verify;
  checkClaims: CheckClaims;
  writer: Writer | null;
} & Pick<RecordDeps, 'replayRecord'>;

const KNOWN_FIELDS = buildKnownFields(Object.keys(VerifyBody.shape));

/**
 * POST /v1/verify: free; without a key it counts as one of the day's requests. A key without credits can only verify against a cached
 * copy. Errors: 400 url_not_allowed, 402 insufficient_credits (no cached copy), 422 validation_error, 502 fetch_failed.
 */
export function createVerifyHandler({
  verify,
  checkClaims,
  writer,
  replayRecord,
}: VerifyDeps): PricedRoute['prepare'] {
  const checkText = createVerifyTextHandler(checkClaims, writer);
  return (call) => {
    const { body, requestId, caller, tenant, keep } = call;
    if (body.text !== undefined && body.text !== null && body.url === undefined) return checkText(call);
    const wanted = parseBody(VerifyBody, body);
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    const quotes = [...(wanted.quote === undefined ? [] : [wanted.quote]), ...wanted.quotes];
    return {
      most: PRICES.verify,
      async work(signal, credits) {
        const keptOnly = credits <= 0;
        const { record: id, contentHash = null } = wanted;
        const answer = await verify({
          url: wanted.url,
          quotes,
          contentHash,
          signal,
          tenant,
          keep: keep && wanted.store,
          keptOnly,
          ...(id === undefined
            ? {}
            : { open: createRecordOpener({ replayRecord }, call, { id, contentHash }) }),
        }).catch((error: unknown) => {
          throw keptOnly && isNotKept(error) ? createCreditsFailure(caller) : error;
        });
        return {
          used: PRICES.verify,
          cost: buildCostDollars,
          cache: answer.cache,
          headers,
          body: toBody(answer, requestId),
        };
      },
    };
  };
}

const isNotKept = (error: unknown): boolean => error instanceof Failure && error.fetch?.reason === 'not_kept';

/** Verifying is free, but a key without credits gets no fetch. */
function createCreditsFailure(caller: Caller): Failure {
  const message = 'This page is not cached, and it is fetched only for keys with credits left.';
  const keyId = caller.kind === 'key' ? { keyId: caller.keyId } : {};
  return new Failure('insufficient_credits', message, keyId);
}

function toBody({ url, contentHash, changed, quotes }: VerifyAnswer, requestId: string): JsonObject {
  const results = quotes.map(({ quote, found, start, end, headingPath, link }: VerifiedQuote) => ({
    quote,
    found,
    start,
    end,
    headingPath,
    link,
    contentHash,
    changed,
  }));
  return { requestId, url, contentHash, changed, results };
}
