import { Failure } from '../contract/errors.ts';
import { CHARS_PER_TOKEN } from '../contract/limits.ts';
import { type Article, type CacheState, type Page, textOfArticle } from '../pages/article.ts';
import type { ExtractWorker } from '../pages/extract-worker.ts';
import type { Opening, OpenPage } from '../pages/open-page-types.ts';
import type { Clock } from '../platform/clock.ts';
import type { Tenant } from '../platform/sharing/fair-queue.ts';
import type { PageText } from '../text/prune/chunked-page.ts';
import type { PageParts, WantedParts } from '../text/prune/page-parts.ts';
import { incompleteOf, type Lateness, type LatePart, noLateness } from './late-parts.ts';
import type { PruneWorker, TakenParts } from './prune-worker.ts';

/** A page that the caller gives, with its content type. */
export type GivenPage = { bytes: Uint8Array<ArrayBuffer>; contentType: string };

export type ReadRequest = {
  url: string;
  /** The page itself, read as if it came from `url`: nothing is fetched and nothing kept. */
  given?: GivenPage;
  question: string | null;
  /** As plain text instead of Markdown. */
  plain?: true;
  /** What else is taken from its text; absent: nothing. */
  parts?: WantedParts;
  /** How the page is opened, and what is wanted besides its text; absent: as any page. */
  opening?: Opening;
  signal: AbortSignal;
  /** Whose read it is, for fair shares. */
  tenant?: Tenant;
  /** Whether what is read may be kept and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
};

export type ReadAnswer = Pick<Page, 'extras' | 'fetchedAt'> & {
  /** Of the page, of the selection if one was wanted, or of what is relevant to the question. */
  markdown: string;
  url: string;
  title: string;
  article: Article;
  /** Present if wanted. */
  parts?: PageParts;
  cache: CacheState;
  /** ceil(chars / 4) before: of the source, or of the whole page's Markdown when pruned for a question. */
  rawTokens: number;
  outputTokens: number;
  /** Whole percent from 0 to 100. */
  savingsPercent: number;
  /** What there was no time for: the pruning (`prunedContext`), the plain text (`text`) or some of `parts`. */
  incomplete: LatePart[];
};

/** Throws `Failure('url_not_allowed')` or `Failure('fetch_failed')`; `Failure('validation_error')` for a given page that cannot be read. */
export type Read = (request: ReadRequest) => Promise<ReadAnswer>;

type ReadDeps = {
  openPage: OpenPage;
  extract: Pick<ExtractWorker, 'extract'>;
  prune: PruneWorker;
  clock: Clock;
};

/** A URL -> its page as Markdown; with a question, only the relevant parts of the page. */
export function createRead(deps: ReadDeps): Read {
  return async ({ url, given, question, plain, parts, opening, signal, tenant, keep }) => {
    const page =
      given === undefined
        ? await deps.openPage(url, { ...opening, signal, tenant, keep })
        : await givenPage(deps, { url, given, extras: opening?.extras, signal, tenant });
    const { article, cache, fetchedAt, extras } = page;
    const whole = extras?.markdown ?? article.markdown;
    const lateness = noLateness();
    const turn = { signal, tenant, lateness };
    const text = { ...textOfArticle(article), markdown: whole };
    const relevant = question === null ? whole : await pruned(deps.prune, { page: text, question }, turn);
    const markdown = plain ? await plainText(deps.prune, { ...text, markdown: relevant }, turn) : relevant;
    const outputTokens = tokens(markdown.length);
    // The source of a document is its text: where its Markdown is longer, by marks and links, nothing was saved.
    const rawTokens = Math.max(outputTokens, tokens(question === null ? article.rawChars : whole.length));
    const savingsPercent =
      rawTokens === 0 ? 0 : Math.max(0, Math.round(100 * (1 - outputTokens / rawTokens)));
    return {
      markdown,
      url: article.url,
      title: article.title,
      article,
      fetchedAt,
      cache,
      ...(parts === undefined
        ? {}
        : { parts: await takeParts(deps.prune, { page: text, wanted: parts }, turn) }),
      ...(extras === undefined ? {} : { extras }),
      rawTokens,
      outputTokens,
      savingsPercent,
      incomplete: incompleteOf(lateness),
    };
  };
}

type Turn = Pick<ReadRequest, 'signal' | 'tenant'>;
type Taking = Turn & { lateness: Lateness };

/** A given page, which nobody else may see. */
async function givenPage(
  { extract, clock }: Pick<ReadDeps, 'extract' | 'clock'>,
  { url, given, extras, signal, tenant }: Turn & { url: string; given: GivenPage; extras: Opening['extras'] },
): Promise<Omit<Page, 'privacy'>> {
  const wanted = extras === undefined ? {} : { extras };
  const extracted = await extract.extract({ ...given, url, status: 200, ...wanted }, signal, tenant);
  if (!extracted.ok) throw new Failure('validation_error', `The page cannot be read: ${extracted.message}.`);
  const { ok: _ok, ...page } = extracted;
  return {
    ...page,
    fetchedAt: clock.now(),
    cache: 'miss',
  };
}

async function takeParts(
  prune: PruneWorker,
  { page, wanted, query = null }: { page: PageText; wanted: WantedParts; query?: string | null },
  { signal, tenant, lateness }: Taking,
): Promise<PageParts> {
  const [taken] = await prune([page], { wanted, query, tenant }, signal);
  const { late = [], ...parts }: TakenParts = taken ?? {};
  for (const part of late) lateness.parts.add(part);
  return parts;
}

async function plainText(prune: PruneWorker, page: PageText, taking: Taking): Promise<string> {
  const wanted = { text: { charsMax: null }, highlights: null, pruned: null, plain: true } as const;
  return (await takeParts(prune, { page, wanted }, taking)).text ?? page.markdown;
}

/** What of a page is relevant to a question; the whole page where there was no time to find out. */
async function pruned(
  prune: PruneWorker,
  { page, question }: { page: PageText; question: string },
  taking: Taking,
): Promise<string> {
  const wanted = { text: null, highlights: null, pruned: { query: question } };
  const parts = await takeParts(prune, { page, wanted, query: question }, taking);
  return parts.prunedContext ?? page.markdown;
}

const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);
