import type { TreeElement } from '../tree.ts';
import { endInBody } from './body-end.ts';
import { startInBody } from './body-start.ts';
import { addElement, addText, type Builder, createFragmentBuilder, type Mode } from './builder.ts';
import { endForeign, isForeignStart, isForeignText, startForeign } from './foreign-rules.ts';
import { reconstructFormatting } from './formatting.ts';
import { beginBody, endTemplate, HEAD_END, HEAD_START } from './head-rules.ts';
import { HEAD_CONTENT, VOID } from './names.ts';
import { findCurrentNamespace } from './open-elements.ts';
import { OTHER_END, OTHER_START } from './other-rules.ts';
import type { EndRule, StartRule } from './rules.ts';
import { attachShadowRoots } from './shadow-roots.ts';
import { closeColumnGroup, isBetweenCells, TABLE_END, TABLE_START, withFostering } from './table-rules.ts';
import { type ContentModel, type TokenSink, tokenize } from './tokenize.ts';

const START: Record<Mode, StartRule> = { ...HEAD_START, ...TABLE_START, ...OTHER_START };
const END: Record<Mode, EndRule> = { ...HEAD_END, ...TABLE_END, ...OTHER_END };
/** Maximum tags beyond the depth bound that an end tag is compared with. */
const BEYOND_SEARCHED = 64;

/** Builds the tree of a page from its tokens (HTML, 13.2.6). */
export function buildTree(html: string, builder: Builder): void {
  const text = html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html;
  tokenize(text, createSink(builder));
  while (builder.templateModes.length > 0) endTemplate(builder);
  beginBody(builder);
  attachShadowRoots(builder.shadowRoots);
}

function createSink(builder: Builder): TokenSink {
  return {
    doctype(text) {
      if (builder.mode !== 'initial') return;
      builder.quirks = isQuirky(text);
      builder.mode = 'beforeHtml';
    },
    startTag: (tag, attributes, selfClosing) => applyStartTag(builder, { tag, attributes, selfClosing }),
    endTag: (tag) => applyEndTag(builder, tag),
    text: (text) => addPageText(builder, text),
    rawText: (text) => endRaw(builder, text),
    isForeign: () => findCurrentNamespace(builder.open) !== 'html',
  };
}

function applyStartTag(builder: Builder, token: Parameters<StartRule>[1]): ContentModel {
  builder.skipsNewline = false;
  if (builder.nodes >= builder.nodesMax) {
    builder.truncated = true;
    return 'stop';
  }
  if (isTooDeep(builder, token.tag)) {
    addElement(builder, token.tag, token.attributes);
    builder.beyond.push(token.tag);
    builder.truncated = true;
    return 'markup';
  }
  let result = isForeignStart(builder, token.tag)
    ? startForeign(builder, token)
    : builder.mode === 'inBody'
      ? startInBody(builder, token)
      : START[builder.mode](builder, token);
  while (result === 'again') result = START[builder.mode](builder, token);
  return result;
}

/** Returns whether an element exceeds the depth bound; it then stays empty and its contents follow it. */
function isTooDeep({ open, depthMax }: Builder, tag: string): boolean {
  return open.elements.length >= depthMax && !VOID.has(tag) && !HEAD_CONTENT.has(tag) && !RAW.has(tag);
}
const RAW = new Set(['textarea', 'xmp', 'iframe', 'noembed', 'noscript', 'plaintext']);

function applyEndTag(builder: Builder, tag: string): void {
  builder.skipsNewline = false;
  const { beyond } = builder;
  if (beyond.length > 0) {
    for (let at = beyond.length - 1; at >= Math.max(0, beyond.length - BEYOND_SEARCHED); at -= 1) {
      if (beyond[at] !== tag) continue;
      beyond.length = at;
      return;
    }
    if (!builder.open.elements.some((element) => element.tag === tag)) return;
    beyond.length = 0;
  }
  if (findCurrentNamespace(builder.open) !== 'html' && !endForeign(builder, tag)) return;
  if (builder.mode === 'inBody') endInBody(builder, tag);
  else while (END[builder.mode](builder, tag));
}

const LEADING_SPACE = /^[ \t\n\f]+/;

function addPageText(builder: Builder, raw: string): void {
  let text = raw.includes('\0') ? raw.replaceAll('\0', isForeignText(builder) ? '\uFFFD' : '') : raw;
  if (builder.skipsNewline) {
    builder.skipsNewline = false;
    if (text.startsWith('\n')) text = text.slice(1);
  }
  if (text === '') return;
  if (isForeignText(builder)) {
    addText(builder, text);
    if (/[^\s\0]/.test(raw)) builder.framesetOk = false;
  } else if (builder.mode === 'inBody') addBodyText(builder, text, isBlankText(text));
  else addByMode(builder, text);
}

/** Adds text by the rules of the mode; white space before the body is dropped or put into the head. */
function addByMode(builder: Builder, text: string): void {
  if (Object.hasOwn(HEAD_START, builder.mode)) {
    const space = LEADING_SPACE.exec(text)?.[0] ?? '';
    if (builder.mode === 'inHead' || builder.mode === 'afterHead') addText(builder, space);
    if (space.length === text.length) return;
    // Space before the head ends belongs to it; only what follows it begins the body.
    beginBody(builder);
    addByMode(builder, text.slice(space.length));
    return;
  }
  const isBlank = isBlankText(text);
  if (builder.mode === 'inColumnGroup') {
    const space = LEADING_SPACE.exec(text)?.[0] ?? '';
    addText(builder, space);
    if (!isBlank && closeColumnGroup(builder)) addByMode(builder, text.slice(space.length));
  } else if (builder.mode === 'inFrameset' || builder.mode === 'afterFrameset') {
    addText(builder, text.replace(/[^ \t\n\f]+/g, ''));
  } else if (TABLES.has(builder.mode) && isBetweenCells(builder)) {
    if (isBlank) addText(builder, text);
    else withFostering(builder, () => addBodyText(builder, text, false));
  } else addBodyText(builder, text, isBlank);
}

/** Returns whether a text is only white space. */
function isBlankText(text: string): boolean {
  const { length } = text;
  for (let at = 0; at < length; at += 1) {
    const code = charCodeAt.call(text, at);
    if (code !== 32 && code !== 10 && code !== 9 && code !== 12) return false;
  }
  return true;
}
// Looked up once, since doing so per call is slow where texts are strings of many internal kinds.
const { charCodeAt } = String.prototype;
const TABLES = new Set<Mode>(['inTable', 'inTableBody', 'inRow']);

function addBodyText(builder: Builder, text: string, isBlank: boolean): void {
  reconstructFormatting(builder);
  addText(builder, text);
  if (!isBlank) builder.framesetOk = false;
}

/** Ends an element of raw text. The text of `noscript` is parsed as a fragment of its own, for readers without scripts. */
function endRaw(builder: Builder, text: string): void {
  const element = builder.raw;
  builder.raw = null;
  if (element === null || text === '') return;
  if (element.tag === 'noscript') {
    const inner = createFragmentBuilder(builder, element);
    tokenize(text, createSink(inner));
    builder.nodes = inner.nodes;
    builder.truncated ||= inner.truncated;
    return;
  }
  const shown = element.tag === 'textarea' && text.startsWith('\n') ? text.slice(1) : text;
  addRaw(builder, element, shown);
}

function addRaw(builder: Builder, element: TreeElement, text: string): void {
  if (text === '' || builder.nodes >= builder.nodesMax) return;
  builder.nodes += 1;
  element.children.push({ text, parent: element, kept: true });
}

const OLD =
  /-\/\/(?:as|advasoft ltd|ietf|metrius|microsoft|netscape comm\. corp\.|o'reilly and associates|softquad|spyglass|sq|sun microsystems corp\.|w3o|webtechs)\/\/|-\/\/w3c\/\/dtd (?:html (?:3|experimental|4\.0 (?:frameset|transitional))|w3 html)|-\/w3c\/dtd html 4\.0 transitional|ibmxhtml1-transitional\.dtd|^html\s+public\s+["']html["']/i;
const WITHOUT_SYSTEM = /-\/\/w3c\/\/dtd html 4\.01 (?:frameset|transitional)\/\//i;

/** Returns whether the doctype calls for quirks mode. */
function isQuirky(doctype: string): boolean {
  const text = doctype.slice(0, 500).replace(/>$/, '').trim();
  if (!/^html(?=\s|$)/i.test(text)) return true;
  if (OLD.test(text)) return true;
  return WITHOUT_SYSTEM.test(text) && !/["']\s*["'][^"']*["']\s*$/.test(text);
}
