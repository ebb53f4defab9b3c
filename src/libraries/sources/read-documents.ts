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
/** Pages whose titles say nothing without the name of their library. */
const VAGUE =
  /^(?:index|readme|introduction|overview|changelog|history|changes|license|docs?|documentation|getting started)?$/i;

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
  { url, kind, source, title: stated, body }: SourceDocument,
  subject: Subject,
  deps: ReadDeps,
): Promise<ReadPage | { where: string; problem: string }> {
  const { library, version, ecosystem, licence } = subject;
  const origin = { source: `${ecosystem}:${library}@${version}`, licence };
  const read = await convertSourcePage({ url, body, fetchedAt: null, origin }, deps, deps.signal);
  if (!('page' in read)) return read;
  const { markdown } = read.page;
  if (markdown.trim() === '') return { where: url, problem: 'has no text' };
  const title = chooseTitle(read.page, stated, library);
  return {
    page: { ecosystem, library, version, kind, licence, url, title, markdown, source },
    // Its address is unique, whatever the document declares for itself.
    indexed: { ...read.page, url, title, site: `${library} ${version}` },
  };
}

/** A file without a heading is named by its path; a vague title gets the library's name. */
function chooseTitle(
  { title, url, headings }: IndexedPage,
  stated: string | undefined,
  library: string,
): string {
  const file = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
  const isOfFile = title === file || title === new URL(url).hostname || title === url;
  const own = isOfFile ? (headings[0] ?? stated ?? title) : title;
  const plain = own.replace(/[`*]/g, '').trim().slice(0, TITLE_CHARS_MAX);
  const isReadme = /^readme[^/]*$/i.test(plain.split('/').at(-1) ?? '');
  return isReadme || VAGUE.test(plain) ? `${library} ${isReadme || plain === '' ? 'README' : plain}` : plain;
}
