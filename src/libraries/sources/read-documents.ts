import { convertSourcePage, type PageDeps } from '../../crawl/import/run/convert-source-page.ts';
import type { IndexedPage } from '../../index/local-index-types.ts';
import type { LibraryPage } from '../library-types.ts';
import type { SourceDocument } from './source-document.ts';

/** A page of a library with its form for the index. */
export type ReadPage = { page: LibraryPage; indexed: IndexedPage };

type ReadDeps = PageDeps & { signal: AbortSignal };

type Subject = Pick<LibraryPage, 'ecosystem' | 'library' | 'version' | 'licence'>;

const AT_ONCE = 6;
const TITLE_CHARS_MAX = 200;
/** Titles that say nothing about a page. */
const VAGUE = /^(?:index|contents|table of contents|documentation|docs)$/i;

type TitleFacts = { kind: SourceDocument['kind']; path: string | undefined };

/** Reads documents into pages in their order. Documents without text are left out; `onProblem` hears of those that cannot be read. */
export async function* readDocuments(
  documents: readonly SourceDocument[],
  subject: Subject,
  deps: ReadDeps & { onProblem: (where: string, problem: string) => void },
): AsyncGenerator<ReadPage> {
  for (let at = 0; at < documents.length; at += AT_ONCE) {
    const group = documents.slice(at, at + AT_ONCE);
    const read = await Promise.all(group.map((document) => readDocument(document, subject, deps)));
    for (const one of read) {
      if ('page' in one) yield one;
      else deps.onProblem(one.where, one.problem);
    }
  }
}

async function readDocument(
  { url, kind, source, path, title: given, body }: SourceDocument,
  subject: Subject,
  deps: ReadDeps,
): Promise<ReadPage | { where: string; problem: string }> {
  const { library, version, ecosystem, licence } = subject;
  const origin = { source: `${ecosystem}:${library}@${version}`, licence };
  const read = await convertSourcePage({ url, body, fetchedAt: null, origin }, deps, deps.signal);
  if (!('page' in read)) return read;
  const { markdown } = read.page;
  if (markdown.trim() === '') return { where: url, problem: 'has no text' };
  const title = given === undefined ? chooseTitle(read.page, { kind, path }, library) : cleanTitle(given);
  return {
    page: { ecosystem, library, version, kind, licence, url, title, markdown, source },
    // Its address is unique, whatever the document declares for itself.
    indexed: { ...read.page, url, title, site: `${library} ${version}` },
  };
}

/**
 * Chooses a title that tells the page from others of its library: READMEs and changelogs are named after the library, and a page whose
 * title is only the library's name after its next heading, else by its path.
 */
function chooseTitle(
  { title, url, headings }: IndexedPage,
  { kind, path }: TitleFacts,
  library: string,
): string {
  const [file = '', ...folders] = (path ?? '').split('/').toReversed();
  const place = folders
    .filter((folder) => !/^docs?$/i.test(folder))
    .toReversed()
    .join('/');
  const own = place === '' ? library : `${library} ${place}`;
  if (/^readme\b/i.test(file)) return `${own} README`;
  if (kind === 'changelog')
    return /change|history|release|news/i.test(title) ? cleanTitle(title) : `${own} changelog`;
  const isNamed = (text: string): boolean =>
    text !== '' &&
    !VAGUE.test(text) &&
    text.toLowerCase() !== library.toLowerCase() &&
    !isOfAddress(text, url);
  const chosen = [title, ...headings.slice(0, HEADINGS_TRIED)].map(cleanTitle).find(isNamed);
  return chosen ?? (path === undefined ? cleanTitle(title) || library : `${library} ${path}`);
}

const HEADINGS_TRIED = 3;

/** Without marks, and without control characters, which a terminal could act on. */
const cleanTitle = (text: string): string =>
  text
    .replace(/[`*]/g, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, TITLE_CHARS_MAX);

/** Returns whether a text is only the name of the file or the host. */
function isOfAddress(text: string, url: string): boolean {
  const { pathname, hostname } = new URL(url);
  return text === url || text === hostname || text === decodeURIComponent(pathname.split('/').at(-1) ?? '');
}
