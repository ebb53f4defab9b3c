import { NO_ATTRIBUTES } from '../table-shape.ts';
import { addElement, type Builder, findInnermost, type Mode, openElement, type StartTag } from './builder.ts';
import { clearToMarker } from './formatting.ts';
import {
  closeImplied,
  closeThrough,
  HEAD_CONTENT,
  IMPLIED_END_THOROUGH,
  popOne,
  VOID,
} from './open-elements.ts';
import type { ContentModel } from './tokenize.ts';

const MODES: Record<string, Mode> = {
  td: 'inCell',
  th: 'inCell',
  tr: 'inRow',
  tbody: 'inTableBody',
  thead: 'inTableBody',
  tfoot: 'inTableBody',
  caption: 'inCaption',
  colgroup: 'inColumnGroup',
  table: 'inTable',
  head: 'inHead',
  body: 'inBody',
  frameset: 'inFrameset',
};

const ENDS_EARLY = new Set(['head', 'body', 'html', 'br']);

/** Starts an element of the head's content, wherever it is. */
export function startHeadContent(builder: Builder, { tag, attributes }: StartTag): StartResult {
  if (VOID.has(tag)) {
    addElement(builder, tag, attributes);
    return 'markup';
  }
  if (tag === 'template') {
    const template = openElement(builder, tag, attributes);
    if (attributes.shadowrootmode !== undefined) builder.shadowRoots.push(template);
    builder.formatting.push(null);
    builder.framesetOk = false;
    builder.mode = 'inTemplate';
    builder.templateModes.push('inTemplate');
    return 'markup';
  }
  builder.raw = addElement(builder, tag, attributes);
  if (tag === 'script') return 'script';
  return tag === 'title' ? 'rcdata' : 'rawtext';
}

export function endTemplate(builder: Builder): void {
  const { open } = builder;
  if (!open.elements.some(({ tag }) => tag === 'template')) return;
  closeImplied(open, '', IMPLIED_END_THOROUGH);
  closeThrough(open, 'template');
  clearToMarker(builder);
  builder.templateModes.pop();
  resetMode(builder);
}

/** Adds the attributes of a second `html` or `body` to the first. */
export function joinAttributes(builder: Builder, tag: string, attributes: Record<string, string>): void {
  const { elements } = builder.open;
  if (elements.some((element) => element.tag === 'template')) return;
  const own = elements.find((element) => element.tag === tag);
  if (own === undefined || attributes === NO_ATTRIBUTES) return;
  if (own.attributes === NO_ATTRIBUTES) own.attributes = {};
  for (const [name, value] of Object.entries(attributes))
    if (!Object.hasOwn(own.attributes, name)) own.attributes[name] = value;
}

/** The rules before the body, by mode (HTML, 13.2.6.4.1 to 13.2.6.4.6). */
export const HEAD_START: Record<'initial' | 'beforeHtml' | 'beforeHead' | 'inHead' | 'afterHead', StartRule> =
  {
    initial: (builder) => switchMode(builder, 'beforeHtml'),
    beforeHtml(builder, { tag, attributes }) {
      builder.mode = 'beforeHead';
      openElement(builder, 'html', tag === 'html' ? attributes : {});
      return tag === 'html' ? 'markup' : 'again';
    },
    beforeHead(builder, { tag, attributes }) {
      if (tag === 'html') return joinHtmlAttributes(builder, attributes);
      builder.head = openElement(builder, 'head', tag === 'head' ? attributes : {});
      builder.mode = 'inHead';
      return tag === 'head' ? 'markup' : 'again';
    },
    inHead(builder, token) {
      if (token.tag === 'html') return joinHtmlAttributes(builder, token.attributes);
      if (HEAD_CONTENT.has(token.tag) || (token.tag === 'noscript' && builder.readsNoscript))
        return startHeadContent(builder, token);
      if (token.tag === 'head') return 'markup';
      popOne(builder.open);
      return switchMode(builder, 'afterHead');
    },
    afterHead(builder, token) {
      const { tag, attributes } = token;
      if (tag === 'html') return joinHtmlAttributes(builder, attributes);
      if (tag === 'body' || tag === 'frameset') {
        openElement(builder, tag, attributes);
        if (tag === 'body') builder.framesetOk = false;
        builder.mode = tag === 'body' ? 'inBody' : 'inFrameset';
        return 'markup';
      }
      if (HEAD_CONTENT.has(tag) && builder.head !== null) return startLateHeadContent(builder, token);
      if (tag === 'head') return 'markup';
      openElement(builder, 'body', {});
      return switchMode(builder, 'inBody');
    },
  };

function joinHtmlAttributes(builder: Builder, attributes: Record<string, string>): StartResult {
  joinAttributes(builder, 'html', attributes);
  return 'markup';
}

/** Starts head content that comes after the head; it is put into the head. */
function startLateHeadContent(builder: Builder, token: StartTag): StartResult {
  const { open, head } = builder;
  if (head === null) return 'markup';
  open.elements.push(head);
  open.spaces.push('html');
  const result = startHeadContent(builder, token);
  const place = open.elements.lastIndexOf(head);
  open.elements.splice(place, 1);
  open.spaces.splice(place, 1);
  return result;
}

const NOTHING: StartTag = { tag: '', attributes: {}, selfClosing: false };

/** End tags before the body, by mode; four of them imply that it begins. */
export const HEAD_END: Record<keyof typeof HEAD_START, EndRule> = {
  initial: (builder) => switchMode(builder, 'beforeHtml') === 'again',
  beforeHtml: (builder, tag) => applyImpliedStart(builder, tag),
  beforeHead: (builder, tag) => applyImpliedStart(builder, tag),
  inHead(builder, tag) {
    if (tag === 'template') endTemplate(builder);
    else if (tag !== 'head') return applyImpliedStart(builder, tag);
    else if (findInnermost(builder) === builder.head) {
      popOne(builder.open);
      builder.mode = 'afterHead';
    }
    return false;
  },
  afterHead(builder, tag) {
    if (tag === 'template') endTemplate(builder);
    return tag !== 'template' && tag !== 'head' && applyImpliedStart(builder, tag);
  },
};

function applyImpliedStart(builder: Builder, tag: string): boolean {
  if (!ENDS_EARLY.has(tag)) return false;
  const mode = builder.mode as keyof typeof HEAD_START;
  return HEAD_START[mode](builder, NOTHING) === 'again';
}

/** Begins the body when text or the end of the page comes before any of its tags. */
export function beginBody(builder: Builder): void {
  while (Object.hasOwn(HEAD_START, builder.mode))
    HEAD_START[builder.mode as keyof typeof HEAD_START](builder, NOTHING);
}

/** Result of a rule for a start tag: how to read on, or 'again' when the mode changed and its rule must be applied. */
export type StartResult = ContentModel | 'again';

export type StartRule = (builder: Builder, token: StartTag) => StartResult;

/** A rule for an end tag; returns true when the mode changed and its rule must be applied. */
export type EndRule = (builder: Builder, tag: string) => boolean;

/** Switches the mode; the current token is then handled by the new one. */
export function switchMode(builder: Builder, mode: Mode): 'again' {
  builder.mode = mode;
  return 'again';
}

/** Resets the mode from the open elements, as after the end of a table (HTML, 13.2.4.1). */
export function resetMode(builder: Builder): void {
  const { elements, spaces } = builder.open;
  for (let at = elements.length - 1; at >= 0; at -= 1) {
    const tag = elements[at]?.tag ?? '';
    if (spaces[at] !== 'html') continue;
    if (tag === 'template') {
      builder.mode = builder.templateModes.at(-1) ?? 'inBody';
      return;
    }
    if (tag === 'html') {
      builder.mode = builder.head === null ? 'beforeHead' : 'afterHead';
      return;
    }
    const mode = Object.hasOwn(MODES, tag) ? MODES[tag] : undefined;
    if (mode !== undefined) {
      builder.mode = mode;
      return;
    }
  }
  builder.mode = 'inBody';
}
