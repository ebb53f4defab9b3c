import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { extractHtml } from '../../src/pages/extract/extract-html.ts';
import { createRandom } from '../search/random.ts';

/** A real page, cut at its headings; the first section may have none. */
export type SourcePage = { title: string; language: string | null; sections: Section[] };
type Section = { heading: string | null; text: string };

const HTML_CHARS_MAX = 400_000;
const PAGE_CHARS_MIN = 300;

/** The pages of HTML documentation below some folders, at most `count` of them drawn at random; read from `kept` where that exists, else kept there. */
export async function readSourcePages(
  folders: string[],
  { count, kept }: { count: number; kept: string },
): Promise<SourcePage[]> {
  if (!existsSync(kept)) keepSourcePages(folders, { count, kept });
  const pages: SourcePage[] = [];
  for await (const line of createInterface({ input: createReadStream(kept) })) pages.push(JSON.parse(line));
  return pages;
}

function keepSourcePages(folders: string[], { count, kept }: { count: number; kept: string }): void {
  const random = createRandom(7);
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html'))
      .sort()
      .map((file) => join(folder, file)),
  );
  const lines: string[] = [];
  while (lines.length < count && files.length > 0) {
    const [file] = files.splice(random(files.length), 1);
    const page = file === undefined ? null : readPage(file);
    if (page !== null) lines.push(JSON.stringify(page));
  }
  writeFileSync(kept, lines.join('\n'));
}

function readPage(file: string): SourcePage | null {
  try {
    const html = readFileSync(file, 'utf8');
    if (html.length > HTML_CHARS_MAX) return null;
    const { title, language, markdown } = extractHtml(html, 'https://docs.example/page');
    if (markdown.length < PAGE_CHARS_MIN) return null;
    return { title, language, sections: sectionsOf(markdown) };
  } catch {
    // A broken link, or a page without text: there are others.
    return null;
  }
}

function sectionsOf(markdown: string): Section[] {
  return markdown.split(/^(?=#{1,6} )/m).map((part) => {
    const heading = /^#{1,6} (.*)\n/.exec(part)?.[1] ?? null;
    return { heading, text: part };
  });
}
