import { convertToMarkdown } from '../../../pages/formats/convert-html.ts';
import { findClosingBrace, writeTaggedComment } from './block-tags.ts';
import { type Comment, unwrapBlockComment } from './markdown-comment.ts';

const CODE_TAGS = new Set(['code', 'literal', 'snippet']);
const LINK_TAGS = new Set(['link', 'linkplain', 'value']);
/** Comments have no links of their own that could be resolved. */
const NO_URL = 'about:blank';
const TAG_DEPTH_MAX = 4;

/** Converts a Javadoc comment, with its marks, to Markdown: its text is HTML with tags in braces. */
export function convertJavadoc(comment: string): Comment {
  return writeTaggedComment(unwrapBlockComment(comment), { language: 'java', convertText: convertHtml });
}

/** Converts a KDoc comment, which is Markdown whose links in brackets name declarations. */
export function convertKdoc(comment: string): Comment {
  return writeTaggedComment(unwrapBlockComment(comment), {
    language: 'kotlin',
    convertText: (text) =>
      text
        .replace(/\[([^[\]\n]{1,200})\]\[[\w.]{1,200}\]/g, '$1')
        .replace(/(?<![\]\w`])\[([\w.]+)\](?![(:[])/g, '`$1`'),
  });
}

function convertHtml(text: string): string {
  const html = resolveBraces(text, 0);
  if (!/[<&]/.test(html)) return html;
  return convertToMarkdown([html], NO_URL).markdown;
}

/** `{@code x < y}` becomes `<code>x &lt; y</code>`; links become the name they lead to, or their label. */
function resolveBraces(text: string, depth: number): string {
  let written = '';
  let place = 0;
  while (place < text.length) {
    const open = text.indexOf('{@', place);
    if (open === -1) break;
    const close = findClosingBrace(text, open);
    if (close === -1) break;
    const [, tag = '', content = ''] = /^([A-Za-z]+)\s*([\s\S]*)$/.exec(text.slice(open + 2, close)) ?? [];
    const before = text.slice(place, open);
    written += before + resolveTag(tag, content, { isPreformatted: /<pre[^<>]*>\s*$/.test(before), depth });
    place = close + 1;
  }
  return written + text.slice(place);
}

function resolveTag(
  tag: string,
  content: string,
  { isPreformatted, depth }: { isPreformatted: boolean; depth: number },
): string {
  if (tag === 'literal' || (isPreformatted && CODE_TAGS.has(tag))) return escapeHtml(content);
  if (CODE_TAGS.has(tag)) return `<code>${escapeHtml(content)}</code>`;
  if (LINK_TAGS.has(tag)) {
    const [, target = '', label = ''] = /^([^\s(]*(?:\([^()]*\))?)\s*([\s\S]*)$/.exec(content) ?? [];
    const shown = label.trim() === '' ? target.replace(/^#/, '').replaceAll('#', '.') : label.trim();
    return tag === 'linkplain' ? escapeHtml(shown) : `<code>${escapeHtml(shown)}</code>`;
  }
  if (tag === 'inheritDoc' || tag === 'docRoot') return '';
  return depth < TAG_DEPTH_MAX ? resolveBraces(content, depth + 1) : escapeHtml(content);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
