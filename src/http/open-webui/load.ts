import { PRICES } from '../../billing/ledger/prices.ts';
import { createFetchFailure } from '../../contract/errors.ts';
import {
  type Contents,
  type ContentsResult,
  summarizeCacheState,
  type UrlStatus,
} from '../../search/contents.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { countLatePages } from '../calls/incomplete.ts';
import {
  buildIgnoredHeader,
  buildKnownFields,
  findIgnoredFields,
  omitNulls,
  parseBody,
} from '../calls/wire.ts';
import { buildJsonList } from '../drop-in/json-list.ts';
import { ExtractBody } from '../shape-b/extract.ts';
import { addScheme } from '../shape-b/fields.ts';

export const OpenWebuiLoadBody = ExtractBody.pick({ urls: true, store: true });

const KNOWN_FIELDS = buildKnownFields(Object.keys(OpenWebuiLoadBody.shape));
const WHOLE_PAGE = { text: { charsMax: null }, highlights: null, pruned: null };

/**
 * POST /openwebui/load: an array of `{page_content, metadata}`, one for each page that loads; each is charged.
 * Errors: 422 validation_error, and 502 fetch_failed if no page loads.
 */
export function createOpenWebuiLoadHandler(contents: Contents): PricedRoute['prepare'] {
  return ({ body, tenant, keep }) => {
    const { urls, store } = parseBody(OpenWebuiLoadBody, body);
    const ignored = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    return {
      most: urls.length * PRICES.contentsPerUrl,
      async work(signal) {
        const { results, statuses, incomplete } = await contents({
          urls: urls.map(addScheme),
          wanted: WHOLE_PAGE,
          eachAlone: true,
          signal,
          tenant,
          keep: keep && store,
        });
        if (results.length === 0) throw createLoadFailure(statuses);
        return {
          used: (results.length - countLatePages(results)) * PRICES.contentsPerUrl,
          incomplete,
          cache: summarizeCacheState(statuses),
          ...buildJsonList(results.map(toDocument), ignored),
        };
      },
    };
  };
}

function toDocument({ url, title, author, publishedDay, text }: ContentsResult): JsonObject {
  return {
    page_content: text ?? '',
    metadata: { source: url, title, ...omitNulls({ author, published_date: publishedDay }) },
  };
}

function createLoadFailure(statuses: readonly UrlStatus[]): Error {
  const [first] = statuses.flatMap((status) => (status.ok ? [] : [status]));
  const { length } = statuses;
  const none = length === 1 ? 'The page could not be read' : `None of the ${length} pages could be read`;
  return createFetchFailure(first?.reason ?? 'empty', `${none}: ${first?.message ?? 'no reason is known'}`);
}
