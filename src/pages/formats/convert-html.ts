import { stripFragment } from '../../text/urls/url-spelling.ts';
import { type MarkdownWithHeadings, writeMarkdown } from '../extract/markdown/write-markdown.ts';
import { parseTree } from '../extract/parse/build-tree.ts';
import { resolveLink } from './plain-article.ts';

const LINKS_MAX = 2_000;
/** Maximum characters of blocks that are parsed as one tree: a tree has a bound on its nodes. */
const PART_CHARS = 400_000;

/** Converts blocks of HTML, which a reader of another format wrote, to Markdown; all of it is kept, and addresses become absolute. */
export function convertToMarkdown(
  blocks: Iterable<string>,
  url: string,
): MarkdownWithHeadings & { links: string[] } {
  const links = new Set<string>();
  const own = stripFragment(url);
  const resolve = (href: string): string | null => {
    const target = URL.parse(href, url);
    if (target === null || !/^(?:https?|ftp|mailto):$/.test(target.protocol)) return null;
    const link = resolveLink(target.href, url);
    if (link !== null && link !== own && links.size < LINKS_MAX) links.add(link);
    return target.href;
  };
  const written = groupBlocks(blocks).map((html) => writeMarkdown(parseTree(html), resolve));
  return {
    markdown: written
      .map(({ markdown }) => markdown)
      .filter((markdown) => markdown !== '')
      .join('\n\n'),
    headings: written.flatMap(({ headings }) => headings),
    links: [...links],
  };
}

function groupBlocks(blocks: Iterable<string>): string[] {
  const parts: string[] = [];
  for (const block of blocks) {
    const last = parts.at(-1);
    if (last === undefined || last.length + block.length > PART_CHARS) parts.push(block);
    else parts[parts.length - 1] = `${last}\n${block}`;
  }
  return parts;
}
