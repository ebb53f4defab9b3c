import { addElement, type Builder, findInnermost, openElement, type StartTag } from './builder.ts';
import {
  clearToMarker,
  endFormatting,
  endInline,
  findActiveFormatting,
  pushFormatting,
  reconstructFormatting,
} from './formatting.ts';
import { endTemplate, joinAttributes, type StartResult, startHeadContent } from './head-rules.ts';
import {
  BUTTON_SCOPE,
  CLOSES_P,
  closeFrom,
  closeImplied,
  closeThrough,
  ENDS_BLOCK,
  FORMATTING,
  findCurrentElement,
  findInScope,
  HEAD_CONTENT,
  HEADINGS,
  isCurrent,
  isInScope,
  isSpecial,
  LIST_SCOPE,
  popOne,
  SCOPE,
  TABLE_PARTS,
} from './open-elements.ts';

const OBJECTS = new Set(['applet', 'marquee', 'object']);

type Rule = (builder: Builder, token: StartTag) => StartResult;

/** Applies a start tag in the body (HTML, 13.2.6.4.7). */
export function startInBody(builder: Builder, token: StartTag): StartResult {
  const rule = RULES.get(token.tag);
  if (rule !== undefined) return rule(builder, token);
  reconstructFormatting(builder);
  openElement(builder, token.tag, token.attributes);
  return 'markup';
}

/** Ends an open paragraph. */
function closeP(builder: Builder): void {
  if (!isInScope(builder.open, 'p', BUTTON_SCOPE)) return;
  closeImplied(builder.open, 'p');
  closeThrough(builder.open, 'p');
}

const RULES = new Map<string, Rule>();
const addRule = (tags: Iterable<string>, apply: Rule): void => {
  for (const tag of tags) RULES.set(tag, apply);
};

addRule(CLOSES_P, startBlock);
addRule(FORMATTING, startFormatting);
addRule(HEAD_CONTENT, startHeadContent);
addRule([...TABLE_PARTS, 'frame', 'head'], () => 'markup');
addRule(HEADINGS, (builder, token) => {
  closeP(builder);
  if (HEADINGS.has(findInnermost(builder).tag)) popOne(builder.open);
  return startElement(builder, token);
});
addRule(['pre', 'listing'], (builder, token) => {
  builder.skipsNewline = true;
  builder.framesetOk = false;
  return startBlock(builder, token);
});
addRule(['html', 'body'], (builder, { tag, attributes }) => {
  joinAttributes(builder, tag, attributes);
  if (tag === 'body') builder.framesetOk = false;
  return 'markup';
});
addRule(['frameset'], startFrameset);
addRule(['form'], startForm);
addRule(['li'], (builder, token) => startItem(builder, token, ['li']));
addRule(['dd', 'dt'], (builder, token) => startItem(builder, token, ['dd', 'dt']));
addRule(['plaintext'], (builder, token) => {
  closeP(builder);
  builder.raw = addElement(builder, token.tag, token.attributes);
  return 'plaintext';
});
addRule(['button'], (builder, token) => {
  if (isInScope(builder.open, 'button', SCOPE)) {
    closeImplied(builder.open);
    closeThrough(builder.open, 'button');
  }
  return startInline(builder, token);
});
addRule(['a'], startAnchor);
addRule(['nobr'], (builder, token) => {
  reconstructFormatting(builder);
  if (isInScope(builder.open, 'nobr', SCOPE)) endFormatting(builder, 'nobr');
  return startFormatting(builder, token);
});
addRule(['applet', 'marquee', 'object'], (builder, token) => {
  startInline(builder, token);
  builder.formatting.push(null);
  return 'markup';
});
addRule(['table'], (builder, token) => {
  if (!builder.quirks) closeP(builder);
  builder.framesetOk = false;
  builder.mode = 'inTable';
  return startElement(builder, token);
});
addRule(['area', 'br', 'embed', 'img', 'keygen', 'wbr'], startVoid);
addRule(['image'], (builder, token) => startVoid(builder, { ...token, tag: 'img' }));
addRule(['input'], (builder, token) => {
  closeSelect(builder);
  const { framesetOk } = builder;
  startVoid(builder, token);
  if (token.attributes.type?.toLowerCase() === 'hidden') builder.framesetOk = framesetOk;
  return 'markup';
});
addRule(['param', 'source', 'track'], (builder, { tag, attributes }) => {
  addElement(builder, tag, attributes);
  return 'markup';
});
addRule(['hr'], (builder, { tag, attributes }) => {
  closeP(builder);
  if (isInSelect(builder)) closeImplied(builder.open);
  addElement(builder, tag, attributes);
  builder.framesetOk = false;
  return 'markup';
});
addRule(['textarea', 'xmp', 'iframe', 'noembed'], startRawText);
addRule(['noscript'], (builder, token) =>
  builder.readsNoscript ? startHeadContent(builder, token) : startInline(builder, token),
);
addRule(['select'], (builder, token) => (closeSelect(builder) ? 'markup' : startInline(builder, token)));
addRule(['optgroup', 'option'], (builder, token) => {
  if (isInSelect(builder)) closeImplied(builder.open, token.tag === 'option' ? 'optgroup' : '');
  else if (isCurrent(builder.open, 'option')) popOne(builder.open);
  reconstructFormatting(builder);
  return startElement(builder, token);
});
addRule(['rb', 'rtc', 'rp', 'rt'], (builder, token) => {
  const isPart = token.tag === 'rp' || token.tag === 'rt';
  if (isInScope(builder.open, 'ruby', SCOPE)) closeImplied(builder.open, isPart ? 'rtc' : '');
  return startElement(builder, token);
});
addRule(['math', 'svg'], (builder, { tag, attributes, selfClosing }) => {
  reconstructFormatting(builder);
  if (selfClosing) addElement(builder, tag, attributes);
  else openElement(builder, tag, attributes, tag === 'math' ? 'math' : 'svg');
  return 'markup';
});

const isInSelect = ({ open }: Builder): boolean => isInScope(open, 'select', SCOPE);

/** Closes an open `select`, as another one or a field does; returns whether there was one. */
function closeSelect(builder: Builder): boolean {
  if (!isInSelect(builder)) return false;
  closeThrough(builder.open, 'select');
  return true;
}

function startElement(builder: Builder, { tag, attributes }: StartTag): StartResult {
  openElement(builder, tag, attributes);
  return 'markup';
}

function startBlock(builder: Builder, token: StartTag): StartResult {
  closeP(builder);
  return startElement(builder, token);
}

function startInline(builder: Builder, token: StartTag): StartResult {
  reconstructFormatting(builder);
  builder.framesetOk = false;
  return startElement(builder, token);
}

function startVoid(builder: Builder, { tag, attributes }: StartTag): StartResult {
  reconstructFormatting(builder);
  addElement(builder, tag, attributes);
  builder.framesetOk = false;
  return 'markup';
}

function startRawText(builder: Builder, { tag, attributes }: StartTag): StartResult {
  if (tag === 'xmp') {
    closeP(builder);
    reconstructFormatting(builder);
  }
  builder.framesetOk = false;
  builder.raw = addElement(builder, tag, attributes);
  return tag === 'textarea' ? 'rcdata' : 'rawtext';
}

function startFormatting(builder: Builder, { tag, attributes }: StartTag): StartResult {
  reconstructFormatting(builder);
  pushFormatting(builder, openElement(builder, tag, attributes));
  return 'markup';
}

/** Starts a link; one within another ends the other. */
function startAnchor(builder: Builder, token: StartTag): StartResult {
  const active = findActiveFormatting(builder, 'a');
  if (active !== null) {
    endFormatting(builder, 'a');
    const entry = builder.formatting.indexOf(active);
    if (entry !== -1) builder.formatting.splice(entry, 1);
    const { elements, spaces } = builder.open;
    const place = elements.indexOf(active);
    if (place !== -1) {
      elements.splice(place, 1);
      spaces.splice(place, 1);
    }
  }
  return startFormatting(builder, token);
}

/** Starts an item, which ends the one before it in its list. */
function startItem(builder: Builder, token: StartTag, ends: string[]): StartResult {
  builder.framesetOk = false;
  const { open } = builder;
  for (let at = open.elements.length - 1; at >= 0; at -= 1) {
    const tag = open.elements[at]?.tag ?? '';
    if (open.spaces[at] === 'html' && ends.includes(tag)) {
      closeImplied(open, tag);
      closeThrough(open, tag);
      break;
    }
    if (isSpecial(open, at) && tag !== 'address' && tag !== 'div' && tag !== 'p') break;
  }
  return startBlock(builder, token);
}

function startForm(builder: Builder, token: StartTag): StartResult {
  const inTemplate = builder.open.elements.some(({ tag }) => tag === 'template');
  if (builder.form !== null && !inTemplate) return 'markup';
  closeP(builder);
  const element = openElement(builder, token.tag, token.attributes);
  if (!inTemplate) builder.form = element;
  return 'markup';
}

/** Starts a frameset, which replaces a body that is empty so far. */
function startFrameset(builder: Builder, token: StartTag): StartResult {
  const { open } = builder;
  const body = open.elements[1];
  if (!builder.framesetOk || body?.tag !== 'body') return 'markup';
  const siblings = body.parent?.children ?? [];
  siblings.splice(siblings.lastIndexOf(body), 1);
  closeFrom(open, 1);
  builder.mode = 'inFrameset';
  return findCurrentElement(open) === undefined ? 'markup' : startElement(builder, token);
}

/** Applies an end tag in the body (HTML, 13.2.6.4.7). */
export function endInBody(builder: Builder, tag: string): void {
  const { open } = builder;
  if (tag === 'form') endForm(builder);
  else if (ENDS_BLOCK.has(tag)) endElement(builder, tag, SCOPE);
  else if (FORMATTING.has(tag)) endFormatting(builder, tag);
  else if (tag === 'p') {
    if (!isInScope(open, 'p', BUTTON_SCOPE)) openElement(builder, 'p', {});
    closeP(builder);
  } else if (tag === 'li') endElement(builder, tag, LIST_SCOPE);
  else if (tag === 'dd' || tag === 'dt') endElement(builder, tag, SCOPE);
  else if (HEADINGS.has(tag)) {
    if (findInScope(open, (each) => HEADINGS.has(each), SCOPE) === -1) return;
    closeImplied(open);
    closeThrough(open, HEADINGS);
  } else if (OBJECTS.has(tag)) {
    if (endElement(builder, tag, SCOPE)) clearToMarker(builder);
  } else if (tag === 'br') {
    reconstructFormatting(builder);
    addElement(builder, 'br', {});
    builder.framesetOk = false;
  } else if (tag === 'template') endTemplate(builder);
  // The body extends to the end of the page, whatever follows its end tag.
  else if (tag !== 'body' && tag !== 'html') endInline(builder, tag);
}

function endElement(builder: Builder, tag: string, scope: ReadonlySet<string>): boolean {
  if (!isInScope(builder.open, tag, scope)) return false;
  closeImplied(builder.open, tag);
  closeThrough(builder.open, tag);
  return true;
}

function endForm(builder: Builder): void {
  const { open, form } = builder;
  if (open.elements.some(({ tag }) => tag === 'template')) {
    endElement(builder, 'form', SCOPE);
    return;
  }
  builder.form = null;
  if (form === null || !isInScope(open, 'form', SCOPE)) return;
  closeImplied(open);
  const place = open.elements.lastIndexOf(form);
  if (place === -1) return;
  // Elements open inside the form stay open.
  open.elements.splice(place, 1);
  open.spaces.splice(place, 1);
}
