import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import type { Read } from '../../search/read.ts';
import type { PricedRoute } from '../calls/call.ts';
import { ignoredFields, ignoredHeader, knownFields } from '../calls/ignored-fields.ts';
import { parseBody } from '../calls/wire.ts';
import { storeField, withScheme } from '../shape-b/fields.ts';
import { address } from '../v1/contents.ts';

export const LinkupFetchBody = z.object({ url: address, store: storeField });

const KNOWN_FIELDS = knownFields(Object.keys(LinkupFetchBody.shape));

/** POST /linkup/v1/fetch: a page as Markdown. Errors: 400 url_not_allowed, 422 validation_error, 502 fetch_failed. */
export function linkupFetchHandler(read: Read): PricedRoute['prepare'] {
  return ({ body, tenant, keep }) => {
    const { url, store } = parseBody(LinkupFetchBody, body);
    const headers = ignoredHeader(ignoredFields(body, KNOWN_FIELDS));
    return {
      most: PRICES.read,
      async work(signal) {
        const page = { url: withScheme(url), question: null, signal, tenant, keep: keep && store };
        const { markdown, cache } = await read(page);
        return { used: PRICES.read, cache, headers, body: { markdown } };
      },
    };
  };
}
