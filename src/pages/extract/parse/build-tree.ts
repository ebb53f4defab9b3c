import {
  isElement,
  TREE_DEPTH_MAX,
  TREE_NODES_MAX,
  type Tree,
  type TreeElement,
  type TreeNode,
} from '../table-shape.ts';
import { endInBody, startInBody } from './body-start.ts';
import {
  addElement,
  addText,
  type Builder,
  createFragmentBuilder,
  createPageBuilder,
  type Mode,
  openElement,
  type StartTag,
} from './builder.ts';
import { reconstructFormatting } from './formatting.ts';
import {
  beginBody,
  type EndRule,
  endTemplate,
  HEAD_END,
  HEAD_START,
  type StartResult,
  type StartRule,
  startHeadContent,
  switchMode,
} from './head-rules.ts';
import {
  BREAKS_OUT,
  closeFrom,
  findCurrentElement,
  findCurrentNamespace,
  HEAD_CONTENT,
  isCurrent,
  type OpenElements,
  popOne,
  VOID,
} from './open-elements.ts';
import { closeColumnGroup, isBetweenCells, TABLE_END, TABLE_START, withFostering } from './table-rules.ts';
import { type ContentModel, type TokenSink, tokenize } from './tokenize.ts';

/** Maximum missing elements that a tag opens around itself, such as a table's row and body. */
const IMPLIED_MAX = 4;
const BOUNDS = { nodesMax: TREE_NODES_MAX, depthMax: TREE_DEPTH_MAX - IMPLIED_MAX };
const createRoot = (): TreeElement => ({
  tag: '#root',
  attributes: {},
  children: [],
  parent: null,
  kept: true,
});

const MATH_TEXT = new Set(['mi', 'mo', 'mn', 'ms', 'mtext']);
const SVG_HTML = new Set(['foreignobject', 'desc', 'title']);

const TEMPLATE_MODES: Record<string, Mode> = {
  caption: 'inTable',
  colgroup: 'inTable',
  tbody: 'inTable',
  tfoot: 'inTable',
  thead: 'inTable',
  col: 'inColumnGroup',
  tr: 'inTableBody',
  td: 'inRow',
  th: 'inRow',
};
/** Start tags in the body, in templates and frame sets, by mode. */
const OTHER_START: Record<OtherMode, StartRule> = {
  inBody: startInBody,
  inTemplate(builder, token) {
    if (HEAD_CONTENT.has(token.tag)) return startHeadContent(builder, token);
    const mode = Object.hasOwn(TEMPLATE_MODES, token.tag) ? TEMPLATE_MODES[token.tag] : 'inBody';
    builder.templateModes[builder.templateModes.length - 1] = mode ?? 'inBody';
    return switchMode(builder, mode ?? 'inBody');
  },
  inFrameset(builder, token) {
    if (token.tag === 'html') return startInBody(builder, token);
    if (token.tag === 'noframes') return startHeadContent(builder, token);
    if (token.tag === 'frameset') openElement(builder, token.tag, token.attributes);
    else if (token.tag === 'frame') addElement(builder, token.tag, token.attributes);
    return 'markup';
  },
  afterFrameset(builder, token) {
    if (token.tag === 'html') return startInBody(builder, token);
    return token.tag === 'noframes' ? startHeadContent(builder, token) : 'markup';
  },
};
/** End tags, by mode. */
const OTHER_END: Record<OtherMode, EndRule> = {
  inBody(builder, tag) {
    endInBody(builder, tag);
    return false;
  },
  inTemplate(builder, tag) {
    if (tag === 'template') endTemplate(builder);
    return false;
  },
  inFrameset(builder, tag) {
    if (tag !== 'frameset' || builder.open.elements.length < 2) return false;
    popOne(builder.open);
    if (!isCurrent(builder.open, 'frameset')) builder.mode = 'afterFrameset';
    return false;
  },
  afterFrameset: () => false,
};

const START: Record<Mode, StartRule> = { ...HEAD_START, ...TABLE_START, ...OTHER_START };
const END: Record<Mode, EndRule> = { ...HEAD_END, ...TABLE_END, ...OTHER_END };
/** Maximum tags beyond the depth bound that an end tag is compared with. */
const BEYOND_SEARCHED = 64;

/** Builds the tree of a page from its tokens (HTML, 13.2.6). */
function buildTree(html: string, builder: Builder): void {
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

/** Attaches declarative shadow roots as browsers do: a host shows its root, whose slots show the host's own children. */
function attachShadowRoots(templates: TreeElement[]): void {
  for (const template of templates) {
    const host = template.parent;
    if (host === null) continue;
    const light = new Map<string, TreeNode[]>();
    for (const child of host.children) {
      if (child === template) continue;
      const name = (isElement(child) ? child.attributes.slot : undefined) ?? '';
      const others = light.get(name);
      if (others === undefined) light.set(name, [child]);
      else others.push(child);
    }
    if (light.size > 0) fillSlots(template, light);
    for (const child of template.children) child.parent = host;
    host.children = template.children;
  }
}

function fillSlots(root: TreeElement, light: Map<string, TreeNode[]>): void {
  const waiting: TreeElement[] = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.tag === 'slot') {
      const name = element.attributes.name ?? '';
      const assigned = light.get(name) ?? [];
      light.delete(name);
      // A slot without children of the host shows its own.
      if (!assigned.some((node) => isElement(node) || node.text.trim() !== '')) continue;
      for (const node of assigned) node.parent = element;
      element.children = assigned;
      continue;
    }
    for (const child of element.children) if (isElement(child)) waiting.push(child);
  }
}

type OtherMode = 'inBody' | 'inTemplate' | 'inFrameset' | 'afterFrameset';

/** Returns whether a start tag here belongs to SVG or MathML and not to HTML within them (HTML, 13.2.6). */
function isForeignStart(builder: Builder, tag: string): boolean {
  const { open } = builder;
  const space = findCurrentNamespace(open);
  if (space === 'html' || isHtmlPoint(open)) return false;
  const current = findCurrentElement(open)?.tag ?? '';
  if (space === 'math' && MATH_TEXT.has(current)) return tag === 'mglyph' || tag === 'malignmark';
  return !(space === 'math' && current === 'annotation-xml' && tag === 'svg');
}

/** Returns whether text here is text of SVG or MathML. */
function isForeignText(builder: Builder): boolean {
  const { open } = builder;
  const space = findCurrentNamespace(open);
  if (space === 'html' || isHtmlPoint(open)) return false;
  return !(space === 'math' && MATH_TEXT.has(findCurrentElement(open)?.tag ?? ''));
}

/** Returns whether the innermost element is an HTML integration point. */
function isHtmlPoint(open: OpenElements): boolean {
  const current = findCurrentElement(open);
  if (current === undefined) return false;
  if (findCurrentNamespace(open) === 'svg') return SVG_HTML.has(current.tag);
  const encoding = current.attributes.encoding?.toLowerCase();
  return (
    current.tag === 'annotation-xml' && (encoding === 'text/html' || encoding === 'application/xhtml+xml')
  );
}

/** Applies a start tag within SVG or MathML; returns 'again' when it ends them. */
function startForeign(builder: Builder, { tag, attributes, selfClosing }: StartTag): StartResult {
  const isFont = tag === 'font' && ['color', 'face', 'size'].some((name) => attributes[name] !== undefined);
  if (BREAKS_OUT.has(tag) || isFont) {
    leaveForeign(builder);
    return 'again';
  }
  if (selfClosing) addElement(builder, tag, attributes);
  else openElement(builder, tag, attributes, findCurrentNamespace(builder.open));
  return 'markup';
}

function leaveForeign(builder: Builder): void {
  do popOne(builder.open);
  while (isForeignText(builder));
}

/** Applies an end tag within SVG or MathML; returns true when it belongs to HTML. */
function endForeign(builder: Builder, tag: string): boolean {
  const { open } = builder;
  if (tag === 'br' || tag === 'p') {
    leaveForeign(builder);
    return true;
  }
  for (let at = open.elements.length - 1; at > 0; at -= 1) {
    if (open.spaces[at] === 'html') return true;
    if (open.elements[at]?.tag !== tag) continue;
    closeFrom(open, at);
    return false;
  }
  return false;
}

// The HTML parser. It builds a light tree by the tree construction of the HTML standard, so that broken markup is
// read as browsers read it, within bounds on nodes and depth. It makes no DOM: comments are dropped and no script runs.

/** Parses decoded HTML as browsers do, including the texts of scripts (JSON-LD is read from them) and styles. */
export function parseTree(html: string): Tree {
  const root = createRoot();
  const builder = createPageBuilder(root, BOUNDS);
  buildTree(html, builder);
  return { root, truncated: builder.truncated };
}

/** Parses a piece of HTML as within the body of a page. */
export function parseFragment(html: string): TreeNode[] {
  const root = createRoot();
  buildTree(html, createFragmentBuilder(createPageBuilder(root, BOUNDS), root));
  return root.children;
}
