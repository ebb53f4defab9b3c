import { createLineScanner } from '../../../text/markup/scan-lines.ts';
import { type Html, html } from '../../site/html.ts';
import { renderCodeBlock } from '../../site/shell/parts.ts';

const FENCE = '```';

/**
 * Renders the Markdown of our own documents: headings of three levels, paragraphs, lists, tables, code, and links to the web or to
 * other documents. Blocks are separated by an empty line. Anything else is shown as text. `folder` is the document's folder on the
 * site, for links to its neighbours.
 */
export function renderDocument(markdown: string, { folder }: { folder: string }): Html {
  return html`${splitBlocks(markdown).map((block, place) => renderBlock(block, { place, folder }))}`;
}

/** Splits Markdown into blocks. Empty lines within fenced code do not end it. */
function splitBlocks(markdown: string): string[] {
  const blocks: string[][] = [[]];
  const scanner = createLineScanner();
  for (const line of markdown.split('\n')) {
    if (scanner.scan(line).kind === 'blank') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join('\n')).filter((block) => block !== '');
}

type BlockContext = { place: number; folder: string };

function renderBlock(block: string, { place, folder }: BlockContext): Html {
  const lines = block.trim().split('\n');
  const [first = ''] = lines;
  const renderMarkup = (text: string): Html => renderInline(text, folder);
  if (first.startsWith(FENCE)) return renderFence(lines, place);
  if (first.startsWith('# ')) return html`<h1>${renderMarkup(first.slice(2))}</h1>\n`;
  if (first.startsWith('## '))
    return html`<h2 id="${buildHeadingId(first)}">${renderMarkup(first.slice(3))}</h2>\n`;
  if (first.startsWith('### '))
    return html`<h3 id="${buildHeadingId(first)}">${renderMarkup(first.slice(4))}</h3>\n`;
  if (first.startsWith('- '))
    return html`<ul>${collectItems(lines, /^- /).map((item) => html`<li>${renderMarkup(item)}</li>`)}</ul>\n`;
  if (/^\d+\. /.test(first))
    return html`<ol>${collectItems(lines, /^\d+\. /).map((item) => html`<li>${renderMarkup(item)}</li>`)}</ol>\n`;
  if (first.startsWith('|')) return renderTable(lines, folder);
  return html`<p>${renderMarkup(lines.join(' '))}</p>\n`;
}

/** Labels above fenced code, by the language of the fence. */
const LABELS: Record<string, string> = { sh: 'Shell', js: 'JavaScript', ts: 'TypeScript', py: 'Python' };

function renderFence([first = '', ...lines]: string[], place: number): Html {
  const language = first.slice(FENCE.length).trim();
  const label = LABELS[language] ?? (language === '' ? 'Text' : language);
  return renderCodeBlock({ id: `code-${place}`, label, code: lines.slice(0, -1).join('\n') });
}

/** Collects the items of a list. Lines that do not begin an item continue the one before. */
function collectItems(lines: string[], mark: RegExp): string[] {
  const items: string[] = [];
  for (const line of lines)
    if (mark.test(line)) items.push(line.replace(mark, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  return items;
}

const buildHeadingId = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Renders a table. Its second line only separates the head. */
function renderTable([head = '', , ...rows]: string[], folder: string): Html {
  const titles = splitCells(head);
  const renderCell = (cell: string, at: number): Html =>
    at === 0
      ? html`<th scope="row">${renderInline(cell, folder)}</th>`
      : // On a narrow screen the cells are stacked, each with the title of its column.
        html`<td data-title="${titles[at] ?? ''}">${renderInline(cell, folder)}</td>`;
  return html`<div class="reference"><table class="facts">
<thead><tr>${titles.map((title) => (title === '' ? html`<td></td>` : html`<th scope="col">${renderInline(title, folder)}</th>`))}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${splitCells(row).map(renderCell)}</tr>`)}</tbody>
</table></div>\n`;
}

const splitCells = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Renders inline markup. The captured parts are at the odd indexes: `code`, **bold**, or a link's text and address. */
function renderInline(text: string, folder: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^[\]]+\]\([^()\s]*\))/);
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : renderMarkup(part, folder)))}`;
}

function renderMarkup(part: string, folder: string): Html {
  if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
  if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
  const [text = '', target = ''] = part.slice(1, -1).split('](');
  const href = resolveLink(target, folder);
  return href === null ? html`${text}` : html`<a href="${href}">${text}</a>`;
}

/** Matches a link from one document of the project to another. */
const DOCUMENT = /^(?:\.\.\/)?(?:(guides|integrations)\/)?([\w-]+)\.md(#[\w-]*)?$/;
/** Documents that have another address on the site. */
const ELSEWHERE: Record<string, string> = { privacy: '/privacy', integrations: '/docs/integrations' };

/** Resolves the target of a link to an address on this site or the web; null if the site does not have the target. */
function resolveLink(target: string, folder: string): string | null {
  if (/^(?:https?:\/\/|mailto:|\/(?!\/)|#)/.test(target)) return target;
  const [, below, name = '', fragment = ''] = DOCUMENT.exec(target) ?? [];
  if (name === '') return null;
  if (below !== undefined) return `/docs/${below}/${name}${fragment}`;
  const elsewhere = ELSEWHERE[name];
  if (elsewhere !== undefined) return elsewhere + fragment;
  return target.startsWith('../') || !folder.startsWith('/docs/') ? null : `${folder}/${name}${fragment}`;
}
