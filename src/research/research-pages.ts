import assert from 'node:assert/strict';
import { Failure } from '../contract/errors.ts';
import { type Page, toPageText } from '../pages/article.ts';
import { computeContentHash } from '../pages/content-hash.ts';
import type { OpenOptions, OpenPage } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import { joinPassages } from './evidence/page-passages.ts';
import type { PageToOpen } from './evidence/pages-to-open.ts';
import type { Evidence, Facet, Passage, ResearchPage } from './evidence/relevance.ts';
import type { ResearchWorker } from './research-worker.ts';

/** An opened page and the passages taken from it. */
export type PageWithPassages = { page: ResearchPage; passages: Passage[] };

/** Evidence with the hash of the text that it was taken from. */
export type CitedEvidence = Evidence & { contentHash: string };

const PAGES_AT_ONCE = 8;
const PAGE_MS = 8_000;

type Reading = Pick<OpenOptions, 'signal' | 'tenant' | 'keep'> & { facets: Facet[]; onDone(): void };

/** Opens pages, a few at once, and extracts their passages, in the order of `pages`; null for a page that fails or is late. */
export async function readPages(
  { openPage, threads }: { openPage: OpenPage; threads: ResearchWorker },
  pages: readonly PageToOpen[],
  reading: Reading,
): Promise<(PageWithPassages | null)[]> {
  const read: (PageWithPassages | null)[] = pages.map(() => null);
  const waiting = [...pages.entries()];
  const readWaiting = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !reading.signal.aborted; next = waiting.shift()) {
      const [place, wanted] = next;
      const page = await openOrNull(openPage, wanted, reading);
      if (page !== null) read[place] = await addPassages(threads, buildResearchPage(page, wanted), reading);
      reading.onDone();
    }
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, readWaiting));
  return read;
}

/** Extracts from pages already read the passages for the facets from place `from` on, and adds them. */
export function readAgain(
  threads: ResearchWorker,
  pages: readonly PageWithPassages[],
  { facets, from, ...options }: { facets: Facet[]; from: number; signal: AbortSignal; tenant?: Tenant },
): Promise<PageWithPassages[]> {
  return Promise.all(
    pages.map(async ({ page, passages }) => {
      const more = await threads.passages(page, { facets, from }, options);
      return { page, passages: joinPassages(passages, more ?? []) };
    }),
  );
}

/** Adds to each piece of evidence the hash of its page's text. */
export function addHashes(
  evidence: readonly Evidence[],
  pages: readonly PageWithPassages[],
): CitedEvidence[] {
  const quoted = new Set(evidence.map(({ url }) => url));
  const hashes = new Map(
    pages
      .filter(({ page }) => quoted.has(page.url))
      .map(({ page }) => [page.url, computeContentHash(page.markdown)]),
  );
  return evidence.map((one) => {
    const hash = hashes.get(one.url);
    assert(hash !== undefined, 'evidence is of a page that was read');
    return { ...one, contentHash: hash };
  });
}

async function addPassages(
  threads: ResearchWorker,
  page: ResearchPage,
  { facets, signal, tenant }: Reading,
): Promise<PageWithPassages | null> {
  const passages = await threads.passages(page, { facets, from: 0 }, { signal, tenant });
  return passages === null ? null : { page, passages };
}

async function openOrNull(
  openPage: OpenPage,
  { url }: PageToOpen,
  { signal, tenant, keep }: Reading,
): Promise<Page | null> {
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(PAGE_MS)]);
    return await openPage(url, { signal: deadline, tenant, keep, timeoutMs: PAGE_MS });
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function buildResearchPage({ article }: Page, { publishedDay, found }: PageToOpen): ResearchPage {
  const { url, title, language, published } = article;
  const { markdown, language: textLanguage } = toPageText(article);
  const day = publishedDay ?? published?.day ?? null;
  return { url, title, language, textLanguage, markdown, publishedDay: day, found };
}
