import type { z } from 'zod';
import type { OpeningOptions } from '../../pages/open-page-types.ts';
import { resolveDeclared } from '../../search/pages/page-details.ts';
import type { Subpage, SubpagesOptions } from '../../search/pages/subpages.ts';
import type { SearchRequest, SearchResult } from '../../search/search-types.ts';
import type { WantedParts } from '../../text/prune/page-parts.ts';
import type { JsonObject } from '../calls/call.ts';
import { omitNulls, roundScore } from '../calls/json-body.ts';
import { buildWantedParts, type wantedFields, wantsAny } from './content-fields.ts';
import { buildOpening, type openingFields } from './opening.ts';
import { buildExtras, type Extras, type extraFields, NO_EXTRAS } from './page-part-fields.ts';

/** The page parts that a request asks for, and how pages are opened. */
export type PageRequest = {
  /** Null: pages are not opened. */
  wanted: WantedParts | null;
  opening: OpeningOptions | undefined;
  extras: Extras;
  /** The text is read only for the joined contents and left out of the results. */
  hidesText: boolean;
};

export const NO_PAGES: PageRequest = {
  wanted: null,
  opening: undefined,
  extras: NO_EXTRAS,
  hidesText: false,
};

type PageFields = z.output<z.ZodObject<typeof wantedFields & typeof openingFields & typeof extraFields>>;

export function buildPageRequest(fields: PageFields): PageRequest {
  const parts = buildWantedParts(fields);
  const extras = buildExtras(fields);
  const { summary, details, subpages, contextChars } = extras;
  const isAnyWanted =
    wantsAny(parts) || [summary, details, subpages].some((one) => one !== undefined) || contextChars !== null;
  const opening = buildOpening(fields);
  if (!isAnyWanted) return { ...NO_PAGES, opening };
  const hidesText = contextChars !== null && parts.text === null && parts.highlights === null;
  return {
    wanted: {
      ...parts,
      ...(hidesText ? { text: { charsMax: contextChars } } : {}),
      ...(summary === undefined ? {} : { summary }),
    },
    opening,
    extras,
    hidesText,
  };
}

/** Builds the page fields of a search or contents request; `most`: maximum subpages that may be opened. */
export function buildOperationFields(
  { extras: { details, subpages }, opening }: PageRequest,
  most: number,
): Pick<SearchRequest, 'details' | 'opening'> & { subpages?: SubpagesOptions } {
  return {
    ...(opening === undefined ? {} : { opening }),
    ...(details === undefined ? {} : { details }),
    ...(subpages === undefined || most <= 0 ? {} : { subpages: { ...subpages, most } }),
  };
}

type OpenedPage = Pick<SearchResult, 'author' | 'declared' | 'details' | 'subpages' | 'summary'> &
  Omit<Subpage, 'author' | 'details'>;

/** Parts that were not requested are absent, never null: some clients break on null. */
export function buildPartFields(
  page: Omit<OpenedPage, 'publishedDay'>,
  { extras, hidesText }: PageRequest,
): JsonObject {
  const { text, highlights, highlightScores, prunedContext, summary, author, details, subpages } = page;
  const { highlightProofs, prunedProofs, contentHash } = page;
  const { image, favicon } = resolveDeclared(page);
  const { links, images } = extras.details ?? { links: 0, images: 0 };
  return omitNulls({
    author,
    image,
    favicon,
    ...(hidesText ? {} : { text }),
    highlights,
    highlightScores: highlightScores?.map(roundScore),
    prunedContext,
    summary,
    highlightProofs,
    prunedProofs,
    contentHash,
    extras:
      extras.details === undefined || details === undefined
        ? null
        : {
            ...(links === 0 ? {} : { links: details.links }),
            ...(images === 0 ? {} : { imageLinks: details.images.map(({ url }) => url) }),
          },
    subpages: subpages?.map((one) => toSubpage(one, { extras, hidesText })),
  });
}

function toSubpage(page: Subpage, asked: Pick<PageRequest, 'extras' | 'hidesText'>): JsonObject {
  const { url, title, publishedDay } = page;
  return {
    id: url,
    url,
    title,
    ...omitNulls({ publishedDate: publishedDay }),
    ...buildPartFields(page, { ...NO_PAGES, ...asked }),
  };
}

export function countLoadedSubpages(results: readonly { subpages?: Subpage[] }[]): number {
  return results.reduce((sum, { subpages = [] }) => sum + subpages.length, 0);
}

const BETWEEN_PAGES = '\n\n---\n\n';

/** Joins the contents of all results into one text, each with an equal share of the length; absent unless requested. */
export function buildContextField(
  results: readonly Pick<SearchResult, 'url' | 'title' | 'text' | 'highlights'>[],
  { extras: { contextChars } }: PageRequest,
): JsonObject {
  if (contextChars === null) return {};
  const share = Math.floor(contextChars / Math.max(1, results.length)) - BETWEEN_PAGES.length;
  const texts = results.map(({ url, title, text, highlights }) => {
    const body = text ?? highlights?.join('\n\n') ?? '';
    return `Title: ${title}\nURL: ${url}\n\n${body}`.slice(0, Math.max(0, share)).toWellFormed().trimEnd();
  });
  return { context: texts.filter((text) => text !== '').join(BETWEEN_PAGES) };
}
