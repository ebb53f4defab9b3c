import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { EXTRACT_SECONDS_MAX } from '../../contract/limits.ts';
import {
  type Contents,
  type ContentsResult,
  OPEN_MS_MAX,
  summarizeCacheState,
} from '../../search/contents.ts';
import type { SearchResult } from '../../search/search-types.ts';
import type { DescribedImage } from '../../text/prune/images.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { countLatePages } from '../calls/incomplete.ts';
import { addScheme, omitNulls, parseBody } from '../calls/json-body.ts';
import { flag, optionalQuery, storeField, urlList } from '../compat/fields.ts';
import { buildFaviconUrl, collectDescribedImages, IMAGES_PER_PAGE } from '../compat/results.ts';
import {
  buildClosingFields,
  buildCostOption,
  computeWorkMs,
  createTimeoutSchema,
  joinPassages,
  pageFormat,
  passageCount,
} from './fields.ts';

/** `include_image_descriptions` has an effect only with `include_images`. */
export const imageFields = { includeImages: flag, includeImageDescriptions: flag };

const PASSAGES_DEFAULT = 3;

/** `extract_depth` is accepted and has no effect. */
export const ExtractBody = z.object({
  urls: urlList,
  query: optionalQuery,
  chunksPerSource: passageCount,
  format: pageFormat,
  timeout: createTimeoutSchema(EXTRACT_SECONDS_MAX),
  includeFavicon: flag,
  includeImages: flag,
  includeUsage: flag,
  store: storeField,
});
type ExtractFields = z.output<typeof ExtractBody>;

const KNOWN_FIELDS = buildKnownFields(Object.keys(ExtractBody.shape));

/**
 * POST /shapeB/extract: holds a credit per URL and uses one per page that loads in time; the others are listed as failed.
 * Errors: 400 url_not_allowed (when it is the only URL), 422 validation_error.
 */
export function createShapeBExtractHandler(contents: Contents): PricedRoute['prepare'] {
  return ({ body, requestId, tenant, keep }) => {
    const wanted = parseBody(ExtractBody, body);
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    return {
      most: wanted.urls.length * PRICES.contentsPerUrl,
      async work(signal) {
        const began = performance.now();
        const { results, statuses, incomplete } = await contents({
          urls: wanted.urls.map(addScheme),
          wanted: buildWantedParts(wanted),
          ...(wanted.includeImages ? { details: { links: 0, images: IMAGES_PER_PAGE } } : {}),
          eachAlone: true,
          openMs: computeWorkMs(wanted.timeout, OPEN_MS_MAX),
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        // Report URLs as the caller wrote them: clients match results by that spelling.
        const given = new Map(wanted.urls.map((url) => [addScheme(url), url]));
        const ms = performance.now() - began;
        return {
          used: (statuses.filter(({ ok }) => ok).length - countLatePages(results)) * PRICES.contentsPerUrl,
          ...buildCostOption(wanted),
          headers,
          cache: summarizeCacheState(statuses),
          incomplete,
          body: {
            results: results.map((result) =>
              toResult(result, { wanted, url: given.get(result.id) ?? result.id }),
            ),
            failed_results: statuses.flatMap((status) =>
              status.ok ? [] : [{ url: given.get(status.id) ?? status.id, error: status.message }],
            ),
            ...buildClosingFields({ ms, requestId }),
          },
        };
      },
    };
  };
}

/** Requests the whole page, or its best passages if there is a query. */
function buildWantedParts({ query, chunksPerSource, format }: ExtractFields): WantedParts {
  return {
    ...(query === null
      ? { text: { charsMax: null }, highlights: null }
      : { text: null, highlights: { query, perUrl: chunksPerSource ?? PASSAGES_DEFAULT, charsMax: null } }),
    pruned: null,
    ...(format === 'text' ? { plain: true as const } : {}),
  };
}

function toResult(
  { title, text, highlights, details }: ContentsResult,
  { wanted, url }: { wanted: ExtractFields; url: string },
): JsonObject {
  return {
    url,
    title,
    raw_content: text ?? joinPassages(highlights ?? []),
    images: wanted.includeImages ? (details?.images ?? []).map((image) => image.url) : [],
    ...omitNulls({
      favicon: wanted.includeFavicon ? (details?.favicon ?? buildFaviconUrl(addScheme(url))) : null,
    }),
  };
}

type ImageOptions = { includeImages: boolean; includeImageDescriptions: boolean };

/** Collects the images of the pages, each once, in page order: URLs, or URLs with the text beside the image. */
export function collectImages(
  pages: readonly Pick<SearchResult, 'details' | 'declared'>[],
  { includeImages, includeImageDescriptions }: ImageOptions,
): (string | DescribedImage)[] {
  if (!includeImages) return [];
  const images = collectDescribedImages(pages);
  return includeImageDescriptions ? images : images.map(({ url }) => url);
}
