import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import type { Similar } from '../../search/similar.ts';
import type { PricedRoute } from '../calls/call.ts';
import { findIgnoredFields } from '../calls/ignored-fields.ts';
import { parseBody } from '../calls/json-body.ts';
import { address } from './contents.ts';
import { buildKnownSearchFields, buildSearchRequest, createSearchTask, resultFields } from './search.ts';

export const SimilarBody = z.object({
  url: address,
  ...resultFields,
});

/** `excludeSourceDomain` is not reported as ignored: the page's own domain is always excluded. */
const KNOWN_FIELDS = buildKnownSearchFields([...Object.keys(SimilarBody.shape), 'excludeSourceDomain']);

/** POST /v1/findSimilar. Errors: 400 url_not_allowed, 422 validation_error, 502 fetch_failed, 503 recall_unavailable. */
export function createSimilarHandler(similar: Similar): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant, keep }) => {
    const wanted = parseBody(SimilarBody, body);
    const ignored = findIgnoredFields(body, KNOWN_FIELDS);
    return createSearchTask(wanted, {
      price: PRICES.findSimilar,
      caller,
      requestId,
      ignored,
      run: (signal, subpages) =>
        similar({ url: wanted.url, ...buildSearchRequest(wanted, { signal, tenant, keep, subpages }) }),
    });
  };
}
