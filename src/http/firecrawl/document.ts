import type { Article } from '../../pages/article.ts';
import type { ReadAnswer } from '../../search/read.ts';
import type { JsonObject } from '../calls/call.ts';
import { buildPictureUrl, omitNulls } from '../calls/wire.ts';
import { explainMissing, type RequestedFormats } from './formats.ts';

/** Data of a document besides its page. */
type DocumentContext = { sourceUrl: string; formats: RequestedFormats; scrapeId: string };

/** The part of a read page that a document is made of. */
type ReadPage = Pick<
  ReadAnswer,
  'markdown' | 'article' | 'extras' | 'parts' | 'cache' | 'fetchedAt' | 'incomplete'
>;

/** Converts a read page to the document of this shape. */
export function toDocument(
  { markdown, article, extras = { markdown }, parts = {}, ...kept }: ReadPage,
  { sourceUrl, formats, scrapeId }: DocumentContext,
): JsonObject {
  const { plain, attributes, notOffered, json } = formats;
  const warnings = [...notOffered.map(explainMissing), ...formatLateWarnings(kept.incomplete)];
  const { html, rawHtml, links, images, screenshot } = extras;
  return {
    ...(plain.has('markdown') ? { markdown } : {}),
    ...omitNulls({
      html,
      rawHtml,
      screenshot: screenshot && buildPictureUrl(screenshot),
      links: links?.map(({ url }) => url),
      images: images?.map(({ url }) => url),
      summary: parts.summary,
      highlights: parts.highlights?.join('\n\n'),
      attributes: extras.attributes?.map((values, at) => ({ ...attributes[at], values })),
    }),
    ...(json === null ? {} : { json: extras.fields ?? null }),
    ...(warnings.length === 0 ? {} : { warning: warnings.join('; ') }),
    metadata: { ...buildMetadata(article), ...buildCacheFields(kept), sourceURL: sourceUrl, scrapeId },
  };
}

const formatLateWarnings = (incomplete: ReadAnswer['incomplete']): string[] =>
  incomplete.map((part) => `${part}: there was no time for it; try again in a moment`);

/** Additional names of this shape for the `meta` fields of a page. */
const META_NAMES: Record<string, string> = {
  keywords: 'keywords',
  robots: 'robots',
  'og:title': 'ogTitle',
  'og:description': 'ogDescription',
  'og:url': 'ogUrl',
  'og:image': 'ogImage',
  'og:audio': 'ogAudio',
  'og:video': 'ogVideo',
  'og:determiner': 'ogDeterminer',
  'og:locale': 'ogLocale',
  'og:site_name': 'ogSiteName',
  'article:modified_time': 'modifiedTime',
  'article:published_time': 'publishedTime',
  'article:tag': 'articleTag',
  'article:section': 'articleSection',
  'dc.date': 'dcDate',
  'dc.date.created': 'dcDateCreated',
  'dc.description': 'dcDescription',
  'dc.subject': 'dcSubject',
  'dc.type': 'dcType',
  'dcterms.created': 'dcTermsCreated',
  'dcterms.audience': 'dcTermsAudience',
  'dcterms.keywords': 'dcTermsKeywords',
  'dcterms.subject': 'dcTermsSubject',
  'dcterms.type': 'dcTermsType',
};

function buildMetadata({
  url,
  title,
  description,
  language,
  author,
  published,
  modified,
  meta = {},
}: Article): JsonObject {
  const named = Object.entries(meta).flatMap(([name, content]) => {
    const shown = Object.hasOwn(META_NAMES, name) ? META_NAMES[name] : undefined;
    return shown === undefined
      ? [[name, content]]
      : [
          [name, content],
          [shown, content],
        ];
  });
  return {
    ...Object.fromEntries(named),
    title,
    url,
    ...omitNulls({
      description,
      language,
      author,
      publishedTime: meta['article:published_time'] ?? published?.day,
      modifiedTime: meta['article:modified_time'] ?? modified?.day,
    }),
    // Only pages with a successful response are read.
    statusCode: 200,
  };
}

function buildCacheFields({ cache, fetchedAt }: Pick<ReadAnswer, 'cache' | 'fetchedAt'>): JsonObject {
  return cache === 'miss'
    ? { cacheState: 'miss' }
    : { cacheState: 'hit', cachedAt: new Date(fetchedAt).toISOString() };
}
