import { readFileSync } from 'node:fs';
import type { Answer } from '../calls/call.ts';
import type { Terms } from '../calls/terms.ts';
import { type Html, html } from './html.ts';
import { page } from './layout.ts';

const TEXT = readFileSync(new URL('../../../docs/privacy.md', import.meta.url), 'utf8');
/** What a server without keys and prices leaves out. */
const METERED_SECTION = '## Keys, charges and payments\n';

/** GET /privacy: docs/privacy.md. */
export function privacy({ terms }: { terms: Terms | null }): () => Promise<Answer> {
  const sections = TEXT.split(/^(?=## )/m);
  const text = sections.filter((section) => terms !== null || !section.startsWith(METERED_SECTION)).join('');
  const answer = page({
    title: 'Privacy · Sanderling',
    shared: true,
    unmetered: terms === null,
    main: documentHtml(text),
  });
  return async () => answer;
}

/**
 * The Markdown of our own documents as markup: headings of two levels, paragraphs, lists, tables, code and web links, each block
 * apart from the next by an empty line. Anything else is shown as text.
 */
function documentHtml(markdown: string): Html {
  const blocks = markdown.split(/\n{2,}/).filter((block) => block.trim() !== '');
  return html`${blocks.map(blockHtml)}`;
}

function blockHtml(block: string): Html {
  const lines = block.trim().split('\n');
  const [first = ''] = lines;
  if (first.startsWith('# ')) return html`<h1>${inline(first.slice(2))}</h1>`;
  if (first.startsWith('## ')) return html`<h2 id="${idOf(first)}">${inline(first.slice(3))}</h2>`;
  if (first.startsWith('- '))
    return html`<ul>${lines.map((line) => html`<li>${inline(line.replace(/^- /, ''))}</li>`)}</ul>`;
  if (first.startsWith('|')) return tableHtml(lines);
  return html`<p>${inline(lines.join(' '))}</p>`;
}

const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** The second line of a table only separates its head. */
function tableHtml([head = '', , ...rows]: string[]): Html {
  const titles = cellsOf(head);
  return html`<div class="reference"><table class="facts">
<thead><tr>${titles.map((title) => html`<th scope="col">${inline(title)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cellsOf(row).map((cell, at) => cellHtml(cell, titles[at] ?? '', at))}</tr>`)}</tbody>
</table></div>`;
}

/** On a narrow screen each cell stands below the other, with its column's title. */
const cellHtml = (cell: string, title: string, at: number): Html =>
  at === 0
    ? html`<th scope="row">${inline(cell)}</th>`
    : html`<td data-title="${title}">${inline(cell)}</td>`;

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The captured parts are at the odd indexes: `code`, or a link's text and address. */
function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\[[^[\]]+\]\(https?:[^()\s]+\))/);
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : marked(part)))}`;
}

function marked(part: string): Html {
  if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
  const [text = '', href = ''] = part.slice(1, -1).split('](');
  return html`<a href="${href}">${text}</a>`;
}
