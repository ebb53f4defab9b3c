import * as z from 'zod';
import type { BalanceReader } from '../../billing/balance.ts';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import type { ReadAnswer, ReadOperation } from '../../search/read.ts';
import type { FreeRoute, JsonObject, PricedRoute } from '../calls/call.ts';
import {
  buildIgnoredHeader,
  buildKnownFields,
  findIgnoredFields,
  omitNulls,
  parseBody,
} from '../calls/wire.ts';
import { addScheme, buildFaviconUrl, flag, storeField } from '../shape-b/fields.ts';
import { address } from '../v1/contents.ts';

/** Response body. */
export const LinkupBalance = z
  .object({ balance: z.int().meta({ description: 'Credits left on the key.' }) })
  .meta({ title: 'LinkupBalance' });

export const LinkupFetchBody = z.object({
  url: address,
  includeRawHtml: flag.meta({ description: 'Adds `rawHtml`, the source of the page.' }),
  includeRawContent: flag.meta({ description: 'Adds `rawContent`, the source of the page.' }),
  extractImages: flag.meta({ description: 'Adds `images`, those of the main content.' }),
  store: storeField,
});
type LinkupFetchFields = z.output<typeof LinkupFetchBody>;

/** Response body. */
export const LinkupFetchAnswer = z
  .object({
    markdown: z.string(),
    favicon: z
      .string()
      .meta({ description: 'The icon that the page declares, or the conventional address.' }),
    rawHtml: z.string().optional().meta({ description: 'The source of the page.' }),
    rawContent: z.string().optional().meta({ description: 'The source of the page.' }),
    images: z
      .array(
        z.object({
          url: z.string(),
          alt: z.string().meta({ description: 'The text in place of the image.' }),
        }),
      )
      .optional(),
  })
  .meta({ title: 'LinkupPage' });

const KNOWN_FIELDS = buildKnownFields(Object.keys(LinkupFetchBody.shape));

/** POST /linkup/v1/fetch: a page as Markdown. Errors: 400 validation_error, url_not_allowed and fetch_failed. */
export function createLinkupFetchHandler(read: ReadOperation): PricedRoute['prepare'] {
  return ({ body, tenant, keep }) => {
    const wanted = parseBody(LinkupFetchBody, body);
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    return {
      most: PRICES.read,
      async work(signal) {
        const answer = await read({
          url: addScheme(wanted.url),
          question: null,
          ...buildOpening(wanted),
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        return { used: PRICES.read, cache: answer.cache, headers, body: toBody(answer, wanted) };
      },
    };
  };
}

/** Only a fetched page has a source and images. */
function buildOpening({ includeRawHtml, includeRawContent, extractImages }: LinkupFetchFields) {
  const isSourceWanted = includeRawHtml || includeRawContent;
  if (!isSourceWanted && !extractImages) return {};
  const images = extractImages ? ({ images: 'selection' } as const) : {};
  return { opening: { extras: { selection: null, rawHtml: isSourceWanted, ...images } } };
}

function toBody(
  { markdown, article, url, extras }: Pick<ReadAnswer, 'markdown' | 'article' | 'url' | 'extras'>,
  { includeRawHtml, includeRawContent }: LinkupFetchFields,
): JsonObject {
  const source = extras?.rawHtml;
  return {
    markdown,
    favicon: article.favicon ?? buildFaviconUrl(url) ?? '',
    ...omitNulls({
      rawHtml: includeRawHtml ? source : null,
      rawContent: includeRawContent ? source : null,
      images: extras?.images?.map(({ url, alt }) => ({ url, alt })),
    }),
  };
}

/** GET /linkup/v1/credits/balance: the credits left on the calling key. Error: 401 invalid_api_key. */
export function createLinkupBalanceHandler(balanceOf: BalanceReader): FreeRoute['handle'] {
  return async ({ caller }) => {
    if (caller.kind !== 'key') throw new Failure('invalid_api_key', 'Only a key has a balance.');
    return { body: { balance: (await balanceOf(caller.keyId)).credits } };
  };
}
