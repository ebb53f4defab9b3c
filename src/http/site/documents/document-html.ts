import { type Html, html } from '../html.ts';

const FENCE = '```';

/**
 * The Markdown of our own documents as markup: headings of two levels, paragraphs, lists, tables, code, and links to the web or to
 * other documents, each block apart from the next by an empty line. Anything else is shown as text.
 */
export function documentHtml(markdown: string): Html {
  return html`${blocksOf(markdown).map(blockHtml)}`;
}

/** Empty lines within fenced code do not end it. */
function blocksOf(markdown: string): string[] {
  const blocks: string[][] = [[]];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.trim() === '' && !isCode) blocks.push([]);
    else blocks.at(-1)?.push(line);
    if (line.startsWith(FENCE)) isCode = !isCode;
  }
  return blocks.map((lines) => lines.join('\n')).filter((block) => block !== '');
}

function blockHtml(block: string): Html {
  const lines = block.trim().split('\n');
  const [first = ''] = lines;
  if (first.startsWith(FENCE)) return html`<pre><code>${lines.slice(1, -1).join('\n')}</code></pre>`;
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
  const parts = text.split(/(`[^`]+`|\[[^[\]]+\]\((?:https?:|[\w/-]+\.md)[^()\s]*\))/);
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : marked(part)))}`;
}

/** A document of the folder, as documents link to each other. */
const DOCUMENT = /^(?:integrations\/)?([\w-]+)\.md$/;

function marked(part: string): Html {
  if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
  const [text = '', href = ''] = part.slice(1, -1).split('](');
  return html`<a href="${href.replace(DOCUMENT, '/docs/integrations/$1')}">${text}</a>`;
}
