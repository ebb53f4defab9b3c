import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import type { Read, ReadAnswer } from '../../search/read.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { ignoredFields, ignoredHeader, knownFields } from '../calls/ignored-fields.ts';
import { present } from '../calls/present.ts';
import { parseBody } from '../calls/wire.ts';
import { faviconOf, flag, storeField, withScheme } from '../shape-b/fields.ts';
import { address } from '../v1/contents.ts';

export const LinkupFetchBody = z.object({
  url: address,
  includeRawHtml: flag.meta({ description: 'Adds `rawHtml`, the source of the page.' }),
  includeRawContent: flag.meta({ description: 'Adds `rawContent`, the source of the page.' }),
  extractImages: flag.meta({ description: 'Adds `images`, those of the main content.' }),
  store: storeField,
});
type Wanted = z.output<typeof LinkupFetchBody>;

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

const KNOWN_FIELDS = knownFields(Object.keys(LinkupFetchBody.shape));

/** POST /linkup/v1/fetch: a page as Markdown. Errors: 400 validation_error, url_not_allowed and fetch_failed. */
export function linkupFetchHandler(read: Read): PricedRoute['prepare'] {
  return ({ body, tenant, keep }) => {
    const wanted = parseBody(LinkupFetchBody, body);
    const headers = ignoredHeader(ignoredFields(body, KNOWN_FIELDS));
    return {
      most: PRICES.read,
      async work(signal) {
        const answer = await read({
          url: withScheme(wanted.url),
          question: null,
          ...openingOf(wanted),
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
function openingOf({ includeRawHtml, includeRawContent, extractImages }: Wanted) {
  const isSourceWanted = includeRawHtml || includeRawContent;
  if (!isSourceWanted && !extractImages) return {};
  const images = extractImages ? ({ images: 'selection' } as const) : {};
  return { opening: { extras: { selection: null, rawHtml: isSourceWanted, ...images } } };
}

function toBody(
  { markdown, article, url, extras }: Pick<ReadAnswer, 'markdown' | 'article' | 'url' | 'extras'>,
  { includeRawHtml, includeRawContent }: Wanted,
): JsonObject {
  const source = extras?.rawHtml;
  return {
    markdown,
    favicon: article.favicon ?? faviconOf(url) ?? '',
    ...present({
      rawHtml: includeRawHtml ? source : null,
      rawContent: includeRawContent ? source : null,
      images: extras?.images?.map(({ url, alt }) => ({ url, alt })),
    }),
  };
}
