import { Failure } from '../../../contract/errors.ts';
import { PAGE_BYTES_MAX } from '../../../contract/limits.ts';
import { toIndexedPage } from '../../../index/indexed-page.ts';
import type { IndexedPage } from '../../../index/local-index-types.ts';
import type { ExtractWorker } from '../../../pages/extract-worker.ts';
import { computeLastDay } from '../../../pages/extract-worker.ts';
import { parseFileName } from '../../../pages/formats/plain-article.ts';
import { determinePrivacy } from '../../../pages/privacy/determine-privacy.ts';
import type { Clock } from '../../../platform/clock.ts';
import { createLineScanner } from '../../../text/markup/scan-lines.ts';
import { stripFragment } from '../../../text/urls/url-spelling.ts';
import { type Wait, waitForTimer } from '../../visit/visit-all.ts';
import type { SourcePage } from '../formats/json-lines.ts';

export type PageDeps = {
  extract: Pick<ExtractWorker, 'extract'>;
  clock: Clock;
  /** Replaced by tests, which do not wait. */
  pause?: Wait;
};
type ConvertedPage = { page: IndexedPage } | { where: string; problem: string };

const HEADINGS_MAX = 500;
/** Maximum tries of a page while the machine is overloaded, and the pause after the first try; each further pause is twice as long. */
const BUSY_TRIES_MAX = 6;
const BUSY_PAUSE_MS = 1_000;
const ALL_ROBOTS = { index: true, follow: true };

/**
 * Converts a page to the form of the index, or returns why it cannot be imported. Rejects when `signal` aborts, and when no page can be
 * read because a part of the program cannot be loaded.
 */
export async function convertSourcePage(
  given: SourcePage,
  deps: PageDeps,
  signal: AbortSignal,
): Promise<ConvertedPage> {
  const { url } = given;
  const source = dropFutureDay(given, deps.clock.now());
  try {
    const read =
      'markdown' in source.body
        ? buildMarkdownPage(source, source.body.markdown, deps)
        : extractPage(source, deps, signal);
    const page = await read;
    return typeof page === 'string' ? { where: url, problem: page } : { page };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof Failure && error.code === 'internal') throw error;
    return { where: url, problem: error instanceof Error ? error.message : 'could not be read' };
  }
}

/** Removes a day of publication that is in the future. */
function dropFutureDay({ publishedDay, ...page }: SourcePage, now: number): SourcePage {
  return publishedDay === undefined || publishedDay > computeLastDay(now) ? page : { ...page, publishedDay };
}

async function extractPage(
  { url, body, fetchedAt, headers = {}, language, ...stated }: SourcePage,
  deps: PageDeps,
  signal: AbortSignal,
): Promise<IndexedPage | string> {
  if ('markdown' in body) throw new Error('Markdown that is ready is not extracted');
  const { bytes, contentType } = body;
  const read = await retryWhileOverloaded(deps, signal, () =>
    // Copied, because the bytes move to the thread and a further try needs them again.
    deps.extract.extract({ bytes: bytes.slice(), url, contentType, status: 200 }, signal),
  );
  if (!read.ok) return read.message;
  const privacy = determinePrivacy({ asked: url, answers: [{ url, headers }], robots: read.article.robots });
  if (privacy !== null) return `may not be shared (${privacy.reason})`;
  const page = { ...toIndexedPage(read.article, fetchedAt ?? deps.clock.now()), ...stated };
  return language === undefined ? page : { ...page, language: parsePrimaryLanguage(language) };
}

/** Retries while the machine is overloaded. */
async function retryWhileOverloaded<T>(
  { pause = waitForTimer }: PageDeps,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'overloaded' || tried >= BUSY_TRIES_MAX) throw error;
      await pause(BUSY_PAUSE_MS * 2 ** (tried - 1), signal);
    }
  }
}

/** Builds a page from Markdown, not in a thread: nothing is extracted, and sending the page to a thread takes longer than this. */
function buildMarkdownPage(source: SourcePage, written: string, { clock }: PageDeps): IndexedPage | string {
  const { url, fetchedAt, title, publishedDay, language, site, author, rawChars, origin } = source;
  if (!URL.canParse(url)) return 'has no address';
  if (written.length > PAGE_BYTES_MAX) return 'is larger than 5 MB';
  const markdown = written.replaceAll('\0', '').trim();
  if (markdown === '') return 'the page has no text';
  const address = stripFragment(url);
  const privacy = determinePrivacy({ asked: url, answers: [], robots: ALL_ROBOTS });
  if (privacy !== null) return `may not be shared (${privacy.reason})`;
  const headings = parseHeadings(markdown);
  return {
    url: address,
    title: (title ?? headings[0] ?? '').trim() || parseFileName(address),
    headings,
    markdown,
    publishedDay: publishedDay ?? null,
    language: parsePrimaryLanguage(language),
    site: site ?? null,
    author: author ?? null,
    ...(origin === undefined ? {} : { origin }),
    rawChars: rawChars ?? written.length,
    fetchedAt: fetchedAt ?? clock.now(),
  };
}

function parseHeadings(markdown: string): string[] {
  const headings: string[] = [];
  const scanner = createLineScanner();
  for (const line of markdown.split('\n')) {
    const { kind, headingLevel, rest } = scanner.scan(line);
    if (kind !== 'text' || headingLevel === 0) continue;
    headings.push(stripClosingMarks(rest.slice(headingLevel).slice(0, HEADING_CHARS_MAX)));
    if (headings.length >= HEADINGS_MAX) break;
  }
  return headings.filter((heading) => heading !== '');
}
/** Maximum length of a heading. */
const HEADING_CHARS_MAX = 300;

/** `Title ##` -> `Title`. */
function stripClosingMarks(heading: string): string {
  const text = heading.trim();
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return text.slice(0, end).trim();
}

/** Parses "eng", "en-GB" and "en_US" to "en"; null if the tag is not a language. */
export function parsePrimaryLanguage(tag: string | undefined): string | null {
  const [first] = (tag ?? '').split(/[_\-,;\s]/, 1);
  if (!/^[a-z]{2,3}$/i.test(first ?? '')) return null;
  const known = LANGUAGES.get(first ?? '');
  if (known !== undefined) return known;
  const [canonical = ''] = Intl.getCanonicalLocales(first);
  const language = canonical.toLowerCase();
  if (LANGUAGES.size < LANGUAGES_MAX) LANGUAGES.set(first ?? '', language);
  return language;
}
const LANGUAGES = new Map<string, string>();
const LANGUAGES_MAX = 1_000;
