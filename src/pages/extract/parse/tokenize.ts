import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { copyString } from '../own-string.ts';
import { NO_ATTRIBUTES } from '../table-shape.ts';

/** Slots for cached names; a page uses some hundreds. */
const SLOTS = 2_048;
/** Maximum length of a cached name. */
const NAME_CHARS_MAX = 40;
/** Cached names of tags and attributes, so that equal names share one string: each page repeats a few names thousands of times. */
const remembered: string[] = new Array(SLOTS).fill('');
/** Returns whether a code is white space within tags. */
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13 && code !== 11);
const toLowerCaseName = (name: string): string => (/[A-Z]/.test(name) ? name.toLowerCase() : name);

/** The mode in which the text after a start tag is tokenized; 'stop' ends the run. */
export type ContentModel = 'markup' | 'rcdata' | 'rawtext' | 'script' | 'plaintext' | 'stop';

/** Receives the tokens of a page, in page order. Comments are dropped: a tree of content has no place for them. */
export type TokenSink = {
  doctype(text: string): void;
  startTag(tag: string, attributes: Record<string, string>, selfClosing: boolean): ContentModel;
  endTag(tag: string): void;
  text(text: string): void;
  /** Receives the whole text of the element just opened with a model other than 'markup'; the text ends the element. */
  rawText(text: string): void;
  /** Returns whether the current element is in SVG or MathML, where CDATA sections are text. */
  isForeign(): boolean;
};

const LT = 60;
const GT = 62;
const BANG = 33;
const QUESTION = 63;
const SLASH = 47;
const EQUALS = 61;
const QUOTE = 34;
const APOSTROPHE = 39;

/**
 * Tokenizes HTML as the standard does (HTML, 13.2.5), but finds markup by searching the text instead of by states. Line ends in `html`
 * must be line feeds. One difference: a raw-text element that is written as empty (`<iframe … />`) and never ended is empty, where a
 * browser would take the rest of the page as its text.
 */
export function tokenize(html: string, sink: TokenSink): void {
  new Tokenizer(html, sink).run();
}

class Tokenizer {
  readonly #html: string;
  readonly #sink: TokenSink;
  readonly #neverEnded = new Set<string>();
  /** Start of the text that has not been emitted yet. */
  #textFrom = 0;

  constructor(html: string, sink: TokenSink) {
    this.#html = html;
    this.#sink = sink;
  }

  run(): void {
    const html = this.#html;
    let at = html.indexOf('<');
    while (at !== -1) {
      const end = this.#tag(at);
      if (end === STOPPED) return;
      if (end !== NO_TAG) this.#textFrom = end;
      at = html.indexOf('<', end === NO_TAG ? at + 1 : end);
    }
    this.#flush(html.length);
  }

  /** Reads the markup that begins with `<` at `at` and returns its end. */
  #tag(at: number): number {
    const next = this.#html.charCodeAt(at + 1);
    if (isLetter(next)) {
      this.#flush(at);
      return this.#startTag(at + 1);
    }
    if (next === SLASH) return this.#endTag(at);
    if (next !== BANG && next !== QUESTION) return NO_TAG;
    this.#flush(at);
    return this.#declaration(at);
  }

  #flush(to: number): void {
    if (to > this.#textFrom) this.#sink.text(decodeText(this.#html.slice(this.#textFrom, to)));
    this.#textFrom = to;
  }

  #startTag(from: number): number {
    const nameEnd = findTagNameEnd(this.#html, from);
    const tag = readName(this.#html, from, nameEnd);
    const isBare = this.#html.charCodeAt(nameEnd) === GT;
    const attributes = isBare ? NO_ATTRIBUTES : {};
    const read = isBare
      ? { end: nameEnd + 1, selfClosing: false }
      : readAttributes(this.#html, nameEnd, attributes);
    // A tag that the page does not finish is dropped.
    if (read.end === -1) return STOPPED;
    const model = this.#sink.startTag(tag, attributes, read.selfClosing);
    if (model === 'stop') return STOPPED;
    return model === 'markup' ? read.end : this.#rawText(tag, model, read);
  }

  #rawText(tag: string, model: ContentModel, { end, selfClosing }: TagEnd): number {
    const html = this.#html;
    const isEnded = model !== 'plaintext' && !this.#neverEnded.has(tag);
    const to = isEnded ? findRawTextEnd(html, end, tag, model) : -1;
    if (to === -1) this.#neverEnded.add(tag);
    if (to === -1 && selfClosing && model !== 'plaintext') {
      this.#sink.rawText('');
      return end;
    }
    const text = html.slice(end, to === -1 ? html.length : to).replaceAll('\0', '\uFFFD');
    this.#sink.rawText(model === 'rcdata' ? decodeText(text) : text);
    return to === -1 ? html.length : this.#afterTag(to + 2 + tag.length);
  }

  #endTag(from: number): number {
    const code = this.#html.charCodeAt(from + 2);
    if (Number.isNaN(code)) return NO_TAG;
    this.#flush(from);
    if (code === GT) return from + 3;
    if (!isLetter(code)) return this.#afterBogus(from + 2);
    const nameEnd = findTagNameEnd(this.#html, from + 2);
    const end = this.#afterTag(nameEnd);
    if (end !== STOPPED) this.#sink.endTag(readName(this.#html, from + 2, nameEnd));
    return end;
  }

  #afterTag(nameEnd: number): number {
    if (this.#html.charCodeAt(nameEnd) === GT) return nameEnd + 1;
    const { end } = readAttributes(this.#html, nameEnd, {});
    return end === -1 ? STOPPED : end;
  }

  #afterBogus(from: number): number {
    const close = this.#html.indexOf('>', from);
    return close === -1 ? this.#html.length : close + 1;
  }

  #declaration(from: number): number {
    const html = this.#html;
    if (html.startsWith('<!--', from)) return findCommentEnd(html, from);
    if (html.startsWith('<![CDATA[', from) && this.#sink.isForeign()) {
      const close = html.indexOf(']]>', from);
      this.#sink.text(html.slice(from + 9, close === -1 ? html.length : close));
      return close === -1 ? html.length : close + 3;
    }
    const end = this.#afterBogus(from + 2);
    if (/^<!doctype/i.test(html.slice(from, from + 9))) this.#sink.doctype(html.slice(from + 9, end));
    return end;
  }
}

/** Marks a `<` that is text. */
const NO_TAG = -1;
/** Ends the run. */
const STOPPED = -2;

type TagEnd = { end: number; selfClosing: boolean };

/** Reads attributes through the tag's `>`; `end` is -1 if the page ends first. The first of two attributes with a name counts. */
function readAttributes(html: string, from: number, attributes: Record<string, string>): TagEnd {
  let at = from;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === GT) return { end: at + 1, selfClosing: false };
    if (isSpace(code)) at += 1;
    else if (code === SLASH) {
      if (html.charCodeAt(at + 1) === GT) return { end: at + 2, selfClosing: true };
      at += 1;
    } else at = readAttribute(html, at, attributes);
  }
  return { end: -1, selfClosing: false };
}

function readAttribute(html: string, from: number, attributes: Record<string, string>): number {
  const nameEnd = findAttributeNameEnd(html, from);
  const name = readName(html, from, nameEnd);
  let at = skipSpaces(html, nameEnd);
  let value = '';
  if (html.charCodeAt(at) !== EQUALS) at = nameEnd;
  else {
    at = skipSpaces(html, at + 1);
    const quote = html.charCodeAt(at);
    if (quote === QUOTE || quote === APOSTROPHE) {
      const close = html.indexOf(quote === QUOTE ? '"' : "'", at + 1);
      if (close === -1) return html.length;
      value = html.slice(at + 1, close);
      at = close + 1;
    } else {
      const valueFrom = at;
      while (at < html.length && html.charCodeAt(at) !== GT && !isSpace(html.charCodeAt(at))) at += 1;
      value = html.slice(valueFrom, at);
    }
  }
  if (attributes[name] === undefined || !Object.hasOwn(attributes, name))
    attributes[name] = value.includes('&') ? decodeHTMLAttribute(value) : value;
  return at;
}

/** Finds the end of an element's raw text, at its end tag, or -1. */
function findRawTextEnd(html: string, from: number, tag: string, model: ContentModel): number {
  if (model === 'script') return findScriptEnd(html, from);
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    if (isNameAt(html, at + 2, tag)) return at;
  }
  return -1;
}

/** Finds the end of a script. It may hold a comment, and in it another script whose end tag does not count. */
function findScriptEnd(html: string, from: number): number {
  let depth = 0;
  for (let at = html.indexOf('<', from); at !== -1; at = findScriptMarkup(html, at + 1, depth > 0)) {
    if (html.startsWith('-->', at)) depth = 0;
    else if (html.startsWith('<!--', at)) {
      if (depth === 0) depth = 1;
      // `<!-->` is a whole comment.
      at += 1;
    } else if (depth === 1 && isNameAt(html, at + 1, 'script')) depth = 2;
    else if (html.charCodeAt(at + 1) === SLASH && isNameAt(html, at + 2, 'script')) {
      if (depth < 2) return at;
      depth = 1;
    }
  }
  return -1;
}

function findScriptMarkup(html: string, from: number, inComment: boolean): number {
  if (!inComment) return html.indexOf('<', from);
  for (let at = from; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code === LT || (code === 45 && html.startsWith('-->', at))) return at;
  }
  return -1;
}

function findCommentEnd(html: string, from: number): number {
  if (html.startsWith('>', from + 4)) return from + 5;
  if (html.startsWith('->', from + 4)) return from + 6;
  for (let at = html.indexOf('--', from + 4); at !== -1; at = html.indexOf('--', at + 1)) {
    if (html.charCodeAt(at + 2) === GT) return at + 3;
    if (html.startsWith('!>', at + 2)) return at + 4;
  }
  return html.length;
}

/** Returns whether a tag's name is at `at`, in any case and properly terminated. */
function isNameAt(html: string, at: number, tag: string): boolean {
  const after = html.charCodeAt(at + tag.length);
  if (after !== GT && after !== SLASH && !isSpace(after)) return false;
  return html.slice(at, at + tag.length).toLowerCase() === tag;
}

function skipSpaces(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at))) at += 1;
  return at;
}

const decodeText = (text: string): string => (text.includes('&') ? decodeHTML(text) : text);
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** Finds the end of the tag name that begins at `from`: white space, `/` or `>`. */
function findTagNameEnd(html: string, from: number): number {
  let at = from;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === GT || code === SLASH || isSpace(code)) break;
    at += 1;
  }
  return at;
}

/** Finds the end of an attribute name, which `=` ends too; its first character may be any. */
function findAttributeNameEnd(html: string, from: number): number {
  let at = from + 1;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === EQUALS || code === GT || code === SLASH || isSpace(code)) break;
    at += 1;
  }
  return at;
}

/** Reads the name between two offsets, in lower case. */
function readName(html: string, from: number, to: number): string {
  if (to - from > NAME_CHARS_MAX) return toLowerCaseName(html.slice(from, to));
  let hash = to - from;
  for (let at = from; at < to; at += 1) hash = (Math.imul(hash, 31) + html.charCodeAt(at)) | 0;
  const slot = (hash ^ (hash >>> 11)) & (SLOTS - 1);
  const known = remembered[slot] as string;
  if (known.length === to - from && html.startsWith(known, from)) return known;
  const name = toLowerCaseName(html.slice(from, to));
  if (html.startsWith(name, from)) remembered[slot] = copyString(name);
  return name;
}
