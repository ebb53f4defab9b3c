import { z } from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { CONTENTS_URLS_MAX, URL_CHARS_MAX } from '../../contract/limits.ts';
import { type Contents, type ContentsResult, cacheOf } from '../../search/contents.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { ignoredFields, ignoredHeader, type KnownFields } from '../calls/ignored-fields.ts';
import { parseBody } from '../calls/wire.ts';
import { costDollars } from './cost.ts';
import { openingFields, openingOf, storeField } from './opening.ts';
import { citationFields, PAGE_FIELDS, present, prunedBy, roundScore } from './search.ts';
import { toStatus } from './url-status.ts';
import { wantedFields, wantedOf } from './wanted.ts';

/** A URL as the caller wrote it; the guarded fetch decides later whether it may be fetched. */
export const address = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .trim()
  .min(1, 'must not be empty')
  .max(URL_CHARS_MAX, `must have at most ${URL_CHARS_MAX.toLocaleString('en')} characters`)
  .meta({ pattern: '\\S' });

const tooMany = `must have at most ${CONTENTS_URLS_MAX} URLs`;
const addresses = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z.array(address, 'must be an array of URLs').max(CONTENTS_URLS_MAX, tooMany),
  )
  .meta({
    also: [{ type: 'string', minLength: 1, maxLength: URL_CHARS_MAX, pattern: '\\S' }],
    description: `URLs; \`urls\` and \`ids\` together hold 1 to ${CONTENTS_URLS_MAX}.`,
  })
  .default([]);

export const ContentsBody = z
  .object({ urls: addresses, ids: addresses, ...wantedFields, ...openingFields, store: storeField })
  .refine(({ urls, ids }) => urls.length + ids.length > 0, {
    path: ['urls'],
    error: `must name 1 to ${CONTENTS_URLS_MAX} URLs`,
  })
  .refine(({ urls, ids }) => urls.length + ids.length <= CONTENTS_URLS_MAX, {
    path: ['urls'],
    error: `${tooMany} together with ids`,
  })
  .meta({
    anyOf: ['urls', 'ids'].map((name) => ({ required: [name], properties: { [name]: { minItems: 1 } } })),
  });

const KNOWN_FIELDS: KnownFields = {
  ...{ urls: true, ids: true, store: true, apiKey: true },
  ...PAGE_FIELDS,
};

/** POST /v1/contents: holds a credit for each URL, uses one for each that loads. Errors: 400 url_not_allowed, 422 validation_error. */
export function contentsHandler(contents: Contents): PricedRoute['prepare'] {
  return ({ body, requestId, tenant, keep }) => {
    const { urls, ids, store, text = {}, ...others } = parseBody(ContentsBody, body);
    const ignored = ignoredFields(body, KNOWN_FIELDS);
    const wanted = wantedOf({ text, ...others });
    const opening = openingOf(others);
    const timeoutByCaller = opening?.timeoutMs !== undefined;
    const all = [...urls, ...ids];
    return {
      most: all.length * PRICES.contentsPerUrl,
      async work(signal) {
        const { results, statuses } = await contents({
          urls: all,
          wanted,
          ...(opening === undefined ? {} : { opening }),
          signal,
          tenant,
          keep: keep && store,
        });
        const used = statuses.filter(({ ok }) => ok).length * PRICES.contentsPerUrl;
        return {
          used,
          cost: costDollars,
          cache: cacheOf(statuses),
          headers: ignoredHeader(ignored),
          body: {
            requestId,
            results: results.map(toResult),
            statuses: statuses.map((status) => toStatus(status, { timeoutByCaller })),
            service: { ignored, ...prunedBy(results) },
          },
        };
      },
    };
  };
}

function toResult({ url, title, author, publishedDay, ...parts }: ContentsResult): JsonObject {
  const { text, highlights, highlightScores, prunedContext } = parts;
  return {
    id: url,
    url,
    title,
    ...present({
      author,
      publishedDate: publishedDay,
      text,
      highlights,
      highlightScores: highlightScores?.map(roundScore),
      prunedContext,
    }),
    ...citationFields(parts),
  };
}
