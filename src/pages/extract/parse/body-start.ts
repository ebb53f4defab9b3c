import { addElement, type Builder, innermost, openElement, type StartTag } from './builder.ts';
import { activeFormatting, endFormatting, pushFormatting, reconstruct } from './formatting.ts';
import { headContent, joinAttributes } from './head-rules.ts';
import { BUTTON_SCOPE, CLOSES_P, FORMATTING, HEAD_CONTENT, HEADINGS, SCOPE, TABLE_PARTS } from './names.ts';
import {
  closeFrom,
  closeThrough,
  currentOf,
  impliedEnds,
  inScope,
  isCurrent,
  isSpecial,
  popOne,
} from './open-elements.ts';
import type { StartResult } from './rules.ts';

type Rule = (builder: Builder, token: StartTag) => StartResult;

/** A start tag in the body (HTML, 13.2.6.4.7). */
export function startInBody(builder: Builder, token: StartTag): StartResult {
  const rule = RULES.get(token.tag);
  if (rule !== undefined) return rule(builder, token);
  reconstruct(builder);
  openElement(builder, token.tag, token.attributes);
  return 'markup';
}

/** Ends an open paragraph. */
export function closeP(builder: Builder): void {
  if (!inScope(builder.open, 'p', BUTTON_SCOPE)) return;
  impliedEnds(builder.open, 'p');
  closeThrough(builder.open, 'p');
}

const RULES = new Map<string, Rule>();
const rule = (tags: Iterable<string>, apply: Rule): void => {
  for (const tag of tags) RULES.set(tag, apply);
};

rule(CLOSES_P, block);
rule(FORMATTING, formatting);
rule(HEAD_CONTENT, headContent);
rule([...TABLE_PARTS, 'frame', 'head'], () => 'markup');
rule(HEADINGS, (builder, token) => {
  closeP(builder);
  if (HEADINGS.has(innermost(builder).tag)) popOne(builder.open);
  return opened(builder, token);
});
rule(['pre', 'listing'], (builder, token) => {
  builder.skipsNewline = true;
  builder.framesetOk = false;
  return block(builder, token);
});
rule(['html', 'body'], (builder, { tag, attributes }) => {
  joinAttributes(builder, tag, attributes);
  if (tag === 'body') builder.framesetOk = false;
  return 'markup';
});
rule(['frameset'], frameset);
rule(['form'], form);
rule(['li'], (builder, token) => item(builder, token, ['li']));
rule(['dd', 'dt'], (builder, token) => item(builder, token, ['dd', 'dt']));
rule(['plaintext'], (builder, token) => {
  closeP(builder);
  builder.raw = addElement(builder, token.tag, token.attributes);
  return 'plaintext';
});
rule(['button'], (builder, token) => {
  if (inScope(builder.open, 'button', SCOPE)) {
    impliedEnds(builder.open);
    closeThrough(builder.open, 'button');
  }
  return inline(builder, token);
});
rule(['a'], anchor);
rule(['nobr'], (builder, token) => {
  reconstruct(builder);
  if (inScope(builder.open, 'nobr', SCOPE)) endFormatting(builder, 'nobr');
  return formatting(builder, token);
});
rule(['applet', 'marquee', 'object'], (builder, token) => {
  inline(builder, token);
  builder.formatting.push(null);
  return 'markup';
});
rule(['table'], (builder, token) => {
  if (!builder.quirks) closeP(builder);
  builder.framesetOk = false;
  builder.mode = 'inTable';
  return opened(builder, token);
});
rule(['area', 'br', 'embed', 'img', 'keygen', 'wbr'], single);
rule(['image'], (builder, token) => single(builder, { ...token, tag: 'img' }));
rule(['input'], (builder, token) => {
  closeSelect(builder);
  const { framesetOk } = builder;
  single(builder, token);
  if (token.attributes.type?.toLowerCase() === 'hidden') builder.framesetOk = framesetOk;
  return 'markup';
});
rule(['param', 'source', 'track'], (builder, { tag, attributes }) => {
  addElement(builder, tag, attributes);
  return 'markup';
});
rule(['hr'], (builder, { tag, attributes }) => {
  closeP(builder);
  if (inSelect(builder)) impliedEnds(builder.open);
  addElement(builder, tag, attributes);
  builder.framesetOk = false;
  return 'markup';
});
rule(['textarea', 'xmp', 'iframe', 'noembed'], rawInline);
rule(['noscript'], (builder, token) =>
  builder.readsNoscript ? headContent(builder, token) : inline(builder, token),
);
rule(['select'], (builder, token) => (closeSelect(builder) ? 'markup' : inline(builder, token)));
rule(['optgroup', 'option'], (builder, token) => {
  if (inSelect(builder)) impliedEnds(builder.open, token.tag === 'option' ? 'optgroup' : '');
  else if (isCurrent(builder.open, 'option')) popOne(builder.open);
  reconstruct(builder);
  return opened(builder, token);
});
rule(['rb', 'rtc', 'rp', 'rt'], (builder, token) => {
  const isPart = token.tag === 'rp' || token.tag === 'rt';
  if (inScope(builder.open, 'ruby', SCOPE)) impliedEnds(builder.open, isPart ? 'rtc' : '');
  return opened(builder, token);
});
rule(['math', 'svg'], (builder, { tag, attributes, selfClosing }) => {
  reconstruct(builder);
  if (selfClosing) addElement(builder, tag, attributes);
  else openElement(builder, tag, attributes, tag === 'math' ? 'math' : 'svg');
  return 'markup';
});

const inSelect = ({ open }: Builder): boolean => inScope(open, 'select', SCOPE);

/** A list of choices ends where another or a field begins. */
function closeSelect(builder: Builder): boolean {
  if (!inSelect(builder)) return false;
  closeThrough(builder.open, 'select');
  return true;
}

function opened(builder: Builder, { tag, attributes }: StartTag): StartResult {
  openElement(builder, tag, attributes);
  return 'markup';
}

function block(builder: Builder, token: StartTag): StartResult {
  closeP(builder);
  return opened(builder, token);
}

function inline(builder: Builder, token: StartTag): StartResult {
  reconstruct(builder);
  builder.framesetOk = false;
  return opened(builder, token);
}

function single(builder: Builder, { tag, attributes }: StartTag): StartResult {
  reconstruct(builder);
  addElement(builder, tag, attributes);
  builder.framesetOk = false;
  return 'markup';
}

function rawInline(builder: Builder, { tag, attributes }: StartTag): StartResult {
  if (tag === 'xmp') {
    closeP(builder);
    reconstruct(builder);
  }
  builder.framesetOk = false;
  builder.raw = addElement(builder, tag, attributes);
  return tag === 'textarea' ? 'rcdata' : 'rawtext';
}

function formatting(builder: Builder, { tag, attributes }: StartTag): StartResult {
  reconstruct(builder);
  pushFormatting(builder, openElement(builder, tag, attributes));
  return 'markup';
}

/** A link within a link ends the first. */
function anchor(builder: Builder, token: StartTag): StartResult {
  const active = activeFormatting(builder, 'a');
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
  return formatting(builder, token);
}

/** An item ends the one before it in its list. */
function item(builder: Builder, token: StartTag, ends: string[]): StartResult {
  builder.framesetOk = false;
  const { open } = builder;
  for (let at = open.elements.length - 1; at >= 0; at -= 1) {
    const tag = open.elements[at]?.tag ?? '';
    if (open.spaces[at] === 'html' && ends.includes(tag)) {
      impliedEnds(open, tag);
      closeThrough(open, tag);
      break;
    }
    if (isSpecial(open, at) && tag !== 'address' && tag !== 'div' && tag !== 'p') break;
  }
  return block(builder, token);
}

function form(builder: Builder, token: StartTag): StartResult {
  const inTemplate = builder.open.elements.some(({ tag }) => tag === 'template');
  if (builder.form !== null && !inTemplate) return 'markup';
  closeP(builder);
  const element = openElement(builder, token.tag, token.attributes);
  if (!inTemplate) builder.form = element;
  return 'markup';
}

/** A frameset after an empty beginning of a body takes its place. */
function frameset(builder: Builder, token: StartTag): StartResult {
  const { open } = builder;
  const body = open.elements[1];
  if (!builder.framesetOk || body?.tag !== 'body') return 'markup';
  const siblings = body.parent?.children ?? [];
  siblings.splice(siblings.lastIndexOf(body), 1);
  closeFrom(open, 1);
  builder.mode = 'inFrameset';
  return currentOf(open) === undefined ? 'markup' : opened(builder, token);
}
