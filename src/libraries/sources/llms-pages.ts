import { isSectionStart, parseSectionAddress } from '../../pages/alternates/llms-section.ts';
import type { RegistryRequests } from '../registries/registry-types.ts';
import type { SourceDocument } from './source-document.ts';

const FILE_BYTES_MAX = 32 << 20;
const TWINS_MAX = 400;
const TWINS_AT_ONCE = 4;
const SECTION_CHARS_MIN = 40;
/** Maximum distance between a heading and the line below it that names the address. */
const MARK_LINES = 4;

/** `note` hears of pages that are left out, worded for people. */
type LlmsDeps = { requests: RegistryRequests; signal: AbortSignal; note: (text: string) => void };

/**
 * Reads the whole documentation of a site in one file: `llms-full.txt`, or the Markdown pages that its `llms.txt` links to. Resolves to no
 * documents if the site offers neither.
 */
export async function readLlmsPages(documentation: string, deps: LlmsDeps): Promise<SourceDocument[]> {
  const folders = new Set([new URL('./', documentation).href, new URL('/', documentation).href]);
  for (const folder of folders) {
    const full = await readTextFile(`${folder}llms-full.txt`, deps);
    if (full !== null) return splitLlmsFull(full, `${folder}llms-full.txt`);
  }
  for (const folder of folders) {
    const list = await readTextFile(`${folder}llms.txt`, deps);
    const twins = list === null ? [] : listTwins(list, folder);
    if (twins.length > 0) return readTwins(twins, deps);
  }
  return [];
}

/** Reads a file that a caller names, with the pages that it links to if it is a list. */
export async function readLlmsFile(url: string, deps: LlmsDeps): Promise<SourceDocument[]> {
  const text = await readTextFile(url, deps);
  if (text === null) throw new Error(`${url}: there is no such file`);
  return /llms-full\.\w+$/i.test(new URL(url).pathname)
    ? splitLlmsFull(text, url)
    : readTwins(listTwins(text, new URL('./', url).href), deps);
}

/** Sites that have no such file often answer with a page; null then too. */
async function readTextFile(url: string, { requests, signal }: LlmsDeps): Promise<string | null> {
  const { status, body, headers } = await requests.get({ url, signal, bytesMax: FILE_BYTES_MAX });
  if (status !== 200 || /\bhtml\b/.test(headers['content-type'] ?? '')) return null;
  const text = body.toString('utf8');
  return /^\s*<(?:!doctype|html)\b/i.test(text) ? null : text;
}

/** Lists the Markdown pages of the same site that a list links to. */
function listTwins(list: string, folder: string): string[] {
  const { origin } = new URL(folder);
  const links = [...list.matchAll(/\]\(([^()\s]{1,2000})\)/g)].map(([, href = '']) =>
    URL.parse(href, folder),
  );
  const pages = links.flatMap((url) =>
    url !== null && url.origin === origin && /\.mdx?$/.test(url.pathname)
      ? [`${url.origin}${url.pathname}`]
      : [],
  );
  return [...new Set(pages)];
}

async function readTwins(urls: readonly string[], deps: LlmsDeps): Promise<SourceDocument[]> {
  const documents: SourceDocument[] = [];
  if (urls.length > TWINS_MAX) deps.note(`the first ${TWINS_MAX} of ${urls.length} Markdown pages are read`);
  const read = urls.slice(0, TWINS_MAX);
  for (let at = 0; at < read.length; at += TWINS_AT_ONCE) {
    const group = read.slice(at, at + TWINS_AT_ONCE).map(async (url) => {
      const text = await readTextFile(url, deps);
      return text === null ? [] : [toDocument(url, text)];
    });
    documents.push(...(await Promise.all(group)).flat());
  }
  return documents;
}

/** Splits the file into pages: by the addresses that it names, else by its headings of the first level. */
function splitLlmsFull(text: string, url: string): SourceDocument[] {
  const lines = text.split(/\r?\n/);
  const named = splitByAddresses(lines, url);
  const sections = named.length > 1 ? named : splitByHeadings(lines, url);
  const seen = new Map<string, number>();
  return sections
    .filter(({ body }) => body.trim().length >= SECTION_CHARS_MIN)
    .map(({ address, body }) => {
      const count = seen.get(address) ?? 0;
      seen.set(address, count + 1);
      return toDocument(count === 0 ? address : addParameter(address, 'part', String(count + 1)), body);
    });
}

type Section = { address: string; body: string };

function splitByAddresses(lines: readonly string[], url: string): Section[] {
  const starts: { line: number; mark: number; address: string }[] = [];
  for (const [mark, line] of lines.entries()) {
    const address = URL.parse(parseSectionAddress(line) ?? '', url);
    if (address === null || parseSectionAddress(line) === null) continue;
    let start = mark;
    for (let above = mark; above >= Math.max(0, mark - MARK_LINES); above -= 1)
      if (isSectionStart(lines[above] ?? '')) {
        start = above;
        break;
      }
    starts.push({ line: start, mark, address: `${address.origin}${address.pathname}` });
  }
  return starts.map(({ line, mark, address }, at) => {
    const own = lines.slice(line, starts[at + 1]?.line ?? lines.length);
    const body = own.filter((text, place) => place + line !== mark || text.startsWith('#'));
    return { address, body: body.join('\n') };
  });
}

function splitByHeadings(lines: readonly string[], url: string): Section[] {
  const sections: { title: string; lines: string[] }[] = [{ title: '', lines: [] }];
  let isInFence = false;
  for (const line of lines) {
    if (/^\s*(?:```|~~~)/.test(line)) isInFence = !isInFence;
    if (!isInFence && /^# \S/.test(line)) sections.push({ title: line.slice(2).trim(), lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ title, lines: own }) => ({
    address: title === '' ? url : addParameter(url, 'section', toSlug(title)),
    body: own.join('\n'),
  }));
}

const SLUG_CHARS_MAX = 80;
const toSlug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, SLUG_CHARS_MAX);

function addParameter(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(name, value);
  return url.href;
}

function toDocument(url: string, text: string): SourceDocument {
  const bytes = new TextEncoder().encode(text);
  const kind = /\/(?:api|reference)(?:\/|$)/i.test(new URL(url).pathname) ? 'reference' : 'guide';
  return { url, kind, source: 'llms-full', body: { bytes, contentType: 'text/markdown; charset=utf-8' } };
}
