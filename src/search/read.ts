import { Failure } from '../contract/errors.ts';
import { CHARS_PER_TOKEN } from '../contract/limits.ts';
import { type Article, type CacheState, type Page, type Privacy, toPageText } from '../pages/article.ts';
import type { ExtractWorker } from '../pages/extract-worker.ts';
import type { OpeningOptions, OpenPage } from '../pages/open-page-types.ts';
import type { Clock } from '../platform/clock.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { PageText } from '../text/prune/chunked-page.ts';
import type { PageParts, WantedParts } from '../text/prune/page-parts.ts';
import { createLateness, type Lateness, type LatePart, listLateParts } from './late-parts.ts';
import type { PruneWorker, TakenParts } from './prune-worker.ts';

/** A page that the caller gives, with its content type. */
export type GivenPage = { bytes: Uint8Array<ArrayBuffer>; contentType: string };

export type ReadRequest = {
  url: string;
  /** The page itself, read as if it came from `url`: nothing is fetched and nothing cached. */
  given?: GivenPage;
  question: string | null;
  /** Whether to return plain text instead of Markdown. */
  plain?: true;
  /** Further parts to take from its text; absent: none. */
  parts?: WantedParts;
  /** Options of opening the page, including extras; absent: the defaults. */
  opening?: OpeningOptions;
  signal: AbortSignal;
  /** The tenant, for fair shares. */
  tenant?: Tenant;
  /** Whether the page may be cached and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
};

export type ReadAnswer = Pick<Page, 'extras' | 'fetchedAt'> & {
  /** Why only the caller may see the page; absent if everybody may. */
  privacy?: Privacy;
  /** The text of the page, of the selection if one was requested, or of the parts relevant to the question. */
  markdown: string;
  url: string;
  title: string;
  article: Article;
  /** Present if requested. */
  parts?: PageParts;
  cache: CacheState;
  /** Tokens before, as ceil(chars / 4): of the source, or of the whole page's Markdown when pruned for a question. */
  rawTokens: number;
  outputTokens: number;
  /** Whole percent from 0 to 100. */
  savingsPercent: number;
  /** The late parts: the pruning (`prunedContext`), the plain text (`text`) or some of `parts`. */
  incomplete: LatePart[];
};

/** Throws `Failure('url_not_allowed')` or `Failure('fetch_failed')`; `Failure('validation_error')` for a given page that cannot be read. */
export type ReadOperation = (request: ReadRequest) => Promise<ReadAnswer>;

type ReadDeps = {
  openPage: OpenPage;
  extract: Pick<ExtractWorker, 'extract'>;
  prune: PruneWorker;
  clock: Clock;
};

/** Creates the operation: a URL -> its page as Markdown; with a question, only the relevant parts of the page. */
export function createRead(deps: ReadDeps): ReadOperation {
  return async ({ url, given, question, plain, parts, opening, signal, tenant, keep }) => {
    const page =
      given === undefined
        ? await deps.openPage(url, { ...opening, signal, tenant, keep })
        : await readGivenPage(deps, { url, given, extras: opening?.extras, signal, tenant });
    const { article, cache, fetchedAt, extras, privacy } = page;
    const whole = extras?.markdown ?? article.markdown;
    const lateness = createLateness();
    const turn = { signal, tenant, lateness };
    const text = { ...toPageText(article), markdown: whole };
    const relevant =
      question === null ? whole : await pruneForQuestion(deps.prune, { page: text, question }, turn);
    const markdown = plain
      ? await takePlainText(deps.prune, { ...text, markdown: relevant }, turn)
      : relevant;
    const outputTokens = estimateTokens(markdown.length);
    // The source of a document is its text; marks and links may make its Markdown longer, and then nothing was saved.
    const rawTokens = Math.max(
      outputTokens,
      estimateTokens(question === null ? article.rawChars : whole.length),
    );
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
      ...(privacy === null ? {} : { privacy }),
      rawTokens,
      outputTokens,
      savingsPercent,
      incomplete: listLateParts(lateness),
    };
  };
}

type Turn = Pick<ReadRequest, 'signal' | 'tenant'>;
type TakeContext = Turn & { lateness: Lateness };

/** Extracts a given page, which nobody else may see. */
async function readGivenPage(
  { extract, clock }: Pick<ReadDeps, 'extract' | 'clock'>,
  {
    url,
    given,
    extras,
    signal,
    tenant,
  }: Turn & { url: string; given: GivenPage; extras: OpeningOptions['extras'] },
): Promise<Page> {
  const wanted = extras === undefined ? {} : { extras };
  const extracted = await extract.extract({ ...given, url, status: 200, ...wanted }, signal, tenant);
  if (!extracted.ok) throw new Failure('validation_error', `The page cannot be read: ${extracted.message}.`);
  const { ok: _ok, ...page } = extracted;
  return {
    ...page,
    fetchedAt: clock.now(),
    cache: 'miss',
    privacy: null,
  };
}

async function takeParts(
  prune: PruneWorker,
  { page, wanted, query = null }: { page: PageText; wanted: WantedParts; query?: string | null },
  { signal, tenant, lateness }: TakeContext,
): Promise<PageParts> {
  const [taken] = await prune([page], { wanted, query, tenant }, signal);
  const { late = [], ...parts }: TakenParts = taken ?? {};
  for (const part of late) lateness.parts.add(part);
  return parts;
}

async function takePlainText(prune: PruneWorker, page: PageText, taking: TakeContext): Promise<string> {
  const wanted = { text: { charsMax: null }, highlights: null, pruned: null, plain: true } as const;
  return (await takeParts(prune, { page, wanted }, taking)).text ?? page.markdown;
}

/** Returns the parts of a page that are relevant to a question; the whole page where there was no time to prune it. */
async function pruneForQuestion(
  prune: PruneWorker,
  { page, question }: { page: PageText; question: string },
  taking: TakeContext,
): Promise<string> {
  const wanted = { text: null, highlights: null, pruned: { query: question } };
  const parts = await takeParts(prune, { page, wanted, query: question }, taking);
  return parts.prunedContext ?? page.markdown;
}

const estimateTokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);
