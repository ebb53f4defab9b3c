/** Reads the tags of TSDoc, JSDoc, KDoc and Javadoc (`@param name …`), which these formats share, and writes them as Markdown. */

import { LIMITS } from '../source-reader.ts';
import { type Comment, fitMarkdown } from './markdown-comment.ts';

type BlockTag = { tag: string; text: string };

const TAG = /^@([A-Za-z]+)(?:[ \t]+|$)/;
/** Short comments have these tags behind their text, on the same line. */
const TAG_INSIDE = /[ \t](?=@(?:defaultValue|default|deprecated)\b)/g;
const INTERNAL = new Set(['internal', 'private', 'hidden', 'hide', 'ignore', 'suppress']);
/** JSDoc may have its text behind tags. */
const TEXTS = new Set(['summary', 'description', 'desc', 'classdesc']);
/** Tags with a name first, and the title of their list. */
const LISTS: Record<string, string> = {
  param: 'Parameters',
  arg: 'Parameters',
  argument: 'Parameters',
  property: 'Properties',
  prop: 'Properties',
  typeparam: 'Type parameters',
  template: 'Type parameters',
  throws: 'Throws',
  exception: 'Throws',
};
const PARAGRAPHS: Record<string, string> = {
  returns: 'Returns',
  return: 'Returns',
  yields: 'Yields',
  type: 'Type',
  default: 'Default',
  defaultvalue: 'Default',
  since: 'Since',
  receiver: 'Receiver',
  remarks: 'Remarks',
  apinote: 'API note',
  implspec: 'Implementation',
  implnote: 'Implementation',
};

/**
 * Writes a comment without its marks. `convertText` turns a piece of its text into Markdown; `language` is that of examples
 * that have no fence of their own.
 */
export function writeTaggedComment(
  bare: string,
  { language, convertText }: { language: string; convertText: (text: string) => string },
): Comment {
  const { body, tags } = splitTags(bare.slice(0, LIMITS.docCharsMax));
  const described = tags.filter(({ tag }) => TEXTS.has(tag)).map(({ text }) => convertText(text));
  const blocks = [...new Set([convertText(body), ...described])];
  const lists = new Map<string, string[]>();
  // Javadoc names the exception first, TSDoc has a type in braces or none.
  const hasNamedThrows = language === 'java' || language === 'kotlin';
  let deprecated: string | null = null;
  for (const { tag, text } of tags) {
    const title = LISTS[tag];
    if (title !== undefined) {
      const entries = lists.get(title) ?? [];
      entries.push(writeListEntry(text, title !== 'Throws' || hasNamedThrows, convertText));
      lists.set(title, entries);
    } else if (tag === 'deprecated') deprecated = convertText(text);
  }
  for (const [title, entries] of lists) blocks.push(`**${title}**\n\n${entries.join('\n')}`);
  const seen = tags
    .filter(({ tag, text }) => tag === 'see' && text !== '')
    .map(({ text }) => writeReference(text, convertText));
  for (const { tag, text } of tags) {
    const title = PARAGRAPHS[tag];
    if (tag === 'example') blocks.push(writeExample(text, language, convertText));
    else if (title !== undefined && text !== '') blocks.push(`**${title}** ${convertText(stripType(text))}`);
  }
  if (seen.length > 0) blocks.push(`**See** ${seen.join(', ')}`);
  return {
    docs: fitMarkdown(blocks.filter((block) => block.trim() !== '').join('\n\n')),
    deprecated,
    isInternal: tags.some(
      ({ tag, text }) => INTERNAL.has(tag) || (/^(?:api|access)$/.test(tag) && text === 'private'),
    ),
  };
}

/** Splits at lines that begin with a tag, except inside fences. */
function splitTags(bare: string): { body: string; tags: BlockTag[] } {
  const body: string[] = [];
  const tags: { tag: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of bare.replace(TAG_INSIDE, '\n').split('\n')) {
    const trimmed = line.trimStart();
    if (trimmed.startsWith('```')) isCode = !isCode;
    const [opening = '', tag] = isCode ? [] : (TAG.exec(trimmed) ?? []);
    if (tag !== undefined) tags.push({ tag: tag.toLowerCase(), lines: [trimmed.slice(opening.length)] });
    else (tags.at(-1)?.lines ?? body).push(line);
  }
  return {
    body: body.join('\n').trim(),
    tags: tags.map(({ tag, lines }) => ({ tag, text: lines.join('\n').trim() })),
  };
}

/** JSDoc gives types in braces, which the signature of a typed language already shows. */
function stripType(text: string): string {
  if (!text.startsWith('{') || text.startsWith('{@')) return text;
  const end = findClosingBrace(text, 0);
  return end === -1 ? text : `\`${text.slice(1, end).trim()}\` ${text.slice(end + 1).trim()}`.trim();
}

/** The place of the brace that closes the one at `open`, or -1. */
export function findClosingBrace(text: string, open: number): number {
  let depth = 0;
  for (let place = open; place < text.length; place++) {
    if (text[place] === '{') depth += 1;
    else if (text[place] === '}') {
      depth -= 1;
      if (depth === 0) return place;
    }
  }
  return -1;
}

/** `{Type} name - what` becomes "- `name` (`Type`): what". */
function writeListEntry(text: string, hasName: boolean, convertText: (text: string) => string): string {
  let rest = text;
  let type = '';
  if (rest.startsWith('{') && !rest.startsWith('{@')) {
    const end = findClosingBrace(rest, 0);
    if (end !== -1) {
      type = rest.slice(1, end).trim();
      rest = rest.slice(end + 1).trimStart();
    }
  }
  const name = hasName ? (/^(?:\[[^\]\n]*\]|[^\s[\]]+)/.exec(rest)?.[0] ?? '') : '';
  const what = convertText(
    rest
      .slice(name.length)
      .trimStart()
      .replace(/^-[ \t]+/, ''),
  ).replaceAll('\n', '\n  ');
  const label = [
    name === '' ? '' : `\`${name.replaceAll('`', '')}\``,
    type === '' ? '' : `(\`${type.replaceAll('`', '')}\`)`,
  ]
    .filter((part) => part !== '')
    .join(' ');
  if (label === '') return `- ${what}`;
  return what === '' ? `- ${label}` : `- ${label}: ${what}`;
}

/** `@see Type#method(Reader)` names an item; anything else is text. */
function writeReference(text: string, convertText: (text: string) => string): string {
  if (!/^(?:[\w.]+#|#)?[\w.]+(?:\([^()\n]*\))?$/.test(text)) return convertText(text);
  return `\`${text.replace(/^#/, '').replace('#', '.')}\``;
}

function writeExample(text: string, language: string, convertText: (text: string) => string): string {
  const [first = '', ...rest] = text.split('\n');
  const caption = /^<caption>(.*)<\/caption>$/.exec(first.trim())?.[1];
  const code = caption === undefined ? text : rest.join('\n');
  const title = caption === undefined ? '**Example**' : `**Example** ${caption}`;
  const isMarkup = code.includes('```') || code.includes('<pre') || code.includes('{@code');
  if (isMarkup) return `${title}\n\n${convertText(code)}`;
  return `${title}\n\n\`\`\`${language}\n${code.trim()}\n\`\`\``;
}
