import { endInBody, startInBody } from './body-start.ts';
import { addElement, type Builder, findInnermost, openElement, type StartTag } from './builder.ts';
import { clearToMarker } from './formatting.ts';
import {
  type EndRule,
  endTemplate,
  resetMode,
  type StartResult,
  type StartRule,
  startHeadContent,
  switchMode,
} from './head-rules.ts';
import {
  closeImplied,
  closeThrough,
  closeTo,
  findInScope,
  isCurrent,
  isInScope,
  popOne,
  TABLE_PARTS,
  TABLE_SCOPE,
} from './open-elements.ts';

type TableMode = 'inTable' | 'inCaption' | 'inColumnGroup' | 'inTableBody' | 'inRow' | 'inCell';

const GROUPS = new Set(['tbody', 'tfoot', 'thead']);
const TABLE_CONTEXT = new Set(['table', 'template', 'html']);
const GROUP_CONTEXT = new Set([...GROUPS, 'template', 'html']);
const ROW_CONTEXT = new Set(['tr', 'template', 'html']);
const CELLS = new Set(['td', 'th']);
const IGNORED_ENDS = new Set(['body', 'caption', 'col', 'colgroup', 'html', ...GROUPS, 'td', 'th', 'tr']);

const isInTableScope = (builder: Builder, tag: string): boolean => isInScope(builder.open, tag, TABLE_SCOPE);

/** Start tags within tables, by mode (HTML, 13.2.6.4.9 to 13.2.6.4.15). */
export const TABLE_START: Record<TableMode, StartRule> = {
  inTable: startInTable,
  inCaption(builder, token) {
    if (!TABLE_PARTS.has(token.tag)) return startInBody(builder, token);
    return closeCaption(builder) ? 'again' : 'markup';
  },
  inColumnGroup(builder, token) {
    if (token.tag === 'html') return startInBody(builder, token);
    if (token.tag === 'col') {
      addElement(builder, 'col', token.attributes);
      return 'markup';
    }
    if (token.tag === 'template') return startHeadContent(builder, token);
    return closeColumnGroup(builder) ? 'again' : 'markup';
  },
  inTableBody(builder, token) {
    const { tag } = token;
    if (tag === 'tr' || CELLS.has(tag)) {
      closeTo(builder.open, GROUP_CONTEXT);
      openElement(builder, 'tr', tag === 'tr' ? token.attributes : {});
      builder.mode = 'inRow';
      return tag === 'tr' ? 'markup' : 'again';
    }
    if (!TABLE_PARTS.has(tag)) return startInTable(builder, token);
    return closeGroup(builder) ? 'again' : 'markup';
  },
  inRow(builder, token) {
    const { tag } = token;
    if (CELLS.has(tag)) {
      closeTo(builder.open, ROW_CONTEXT);
      openElement(builder, tag, token.attributes);
      builder.mode = 'inCell';
      builder.formatting.push(null);
      return 'markup';
    }
    if (!TABLE_PARTS.has(tag)) return startInTable(builder, token);
    return closeRow(builder) ? 'again' : 'markup';
  },
  inCell(builder, token) {
    if (!TABLE_PARTS.has(token.tag)) return startInBody(builder, token);
    return closeCell(builder) ? 'again' : 'markup';
  },
};

function startInTable(builder: Builder, token: StartTag): StartResult {
  const { tag, attributes } = token;
  if (TABLE_PARTS.has(tag)) return startTablePart(builder, token);
  if (tag === 'table') {
    if (!isInTableScope(builder, 'table')) return 'markup';
    closeThrough(builder.open, 'table');
    resetMode(builder);
    return 'again';
  }
  if (tag === 'style' || tag === 'script' || tag === 'template') return startHeadContent(builder, token);
  if (tag === 'input' && attributes.type?.toLowerCase() === 'hidden') {
    addElement(builder, tag, attributes);
    return 'markup';
  }
  if (tag === 'form') {
    if (builder.form === null && !builder.open.elements.some((element) => element.tag === 'template'))
      builder.form = addElement(builder, tag, attributes);
    return 'markup';
  }
  return withFostering(builder, () => startInBody(builder, token));
}

function startTablePart(builder: Builder, { tag, attributes }: StartTag): StartResult {
  closeTo(builder.open, TABLE_CONTEXT);
  if (tag === 'caption') {
    builder.formatting.push(null);
    openElement(builder, tag, attributes);
    builder.mode = 'inCaption';
  } else if (tag === 'colgroup' || tag === 'col') {
    openElement(builder, 'colgroup', tag === 'colgroup' ? attributes : {});
    builder.mode = 'inColumnGroup';
    if (tag === 'col') return 'again';
  } else {
    openElement(builder, GROUPS.has(tag) ? tag : 'tbody', GROUPS.has(tag) ? attributes : {});
    builder.mode = 'inTableBody';
    if (!GROUPS.has(tag)) return 'again';
  }
  return 'markup';
}

/** Applies a body rule to content that does not belong in a table and is put before it. */
export function withFostering<Result>(builder: Builder, apply: () => Result): Result {
  builder.fostering = true;
  const result = apply();
  builder.fostering = false;
  return result;
}

/** End tags within tables, by mode. */
export const TABLE_END: Record<TableMode, EndRule> = {
  inTable(builder, tag) {
    if (tag === 'table') closeTable(builder);
    else if (tag === 'template') endTemplate(builder);
    else if (!IGNORED_ENDS.has(tag)) withFostering(builder, () => endInBody(builder, tag));
    return false;
  },
  inCaption(builder, tag) {
    if (tag === 'caption') closeCaption(builder);
    else if (tag === 'table') return closeCaption(builder);
    else if (!IGNORED_ENDS.has(tag)) endInBody(builder, tag);
    return false;
  },
  inColumnGroup(builder, tag) {
    if (tag === 'template') endTemplate(builder);
    else if (tag === 'colgroup') closeColumnGroup(builder);
    else return tag !== 'col' && closeColumnGroup(builder);
    return false;
  },
  inTableBody(builder, tag) {
    if (tag === 'table') return closeGroup(builder);
    if (!GROUPS.has(tag)) return TABLE_END.inTable(builder, tag);
    if (isInTableScope(builder, tag)) closeGroup(builder);
    return false;
  },
  inRow(builder, tag) {
    if (tag === 'table') return closeRow(builder);
    if (GROUPS.has(tag)) return isInTableScope(builder, tag) && closeRow(builder);
    if (tag !== 'tr') return TABLE_END.inTable(builder, tag);
    closeRow(builder);
    return false;
  },
  inCell(builder, tag) {
    if (CELLS.has(tag)) {
      if (isInTableScope(builder, tag)) closeCell(builder, tag);
      return false;
    }
    if (tag === 'table' || tag === 'tr' || GROUPS.has(tag))
      return isInTableScope(builder, tag) && closeCell(builder);
    if (!IGNORED_ENDS.has(tag)) endInBody(builder, tag);
    return false;
  },
};

function closeTable(builder: Builder): void {
  if (!isInTableScope(builder, 'table')) return;
  closeThrough(builder.open, 'table');
  resetMode(builder);
}

function closeCaption(builder: Builder): boolean {
  if (!isInTableScope(builder, 'caption')) return false;
  closeImplied(builder.open);
  closeThrough(builder.open, 'caption');
  clearToMarker(builder);
  builder.mode = 'inTable';
  return true;
}

export function closeColumnGroup(builder: Builder): boolean {
  if (!isCurrent(builder.open, 'colgroup')) return false;
  popOne(builder.open);
  return switchMode(builder, 'inTable') === 'again';
}

function closeGroup(builder: Builder): boolean {
  if (findInScope(builder.open, (tag) => GROUPS.has(tag), TABLE_SCOPE) === -1) return false;
  closeTo(builder.open, GROUP_CONTEXT);
  popOne(builder.open);
  builder.mode = 'inTable';
  return true;
}

function closeRow(builder: Builder): boolean {
  if (!isInTableScope(builder, 'tr')) return false;
  closeTo(builder.open, ROW_CONTEXT);
  popOne(builder.open);
  builder.mode = 'inTableBody';
  return true;
}

function closeCell(builder: Builder, tag?: string): boolean {
  if (findInScope(builder.open, (each) => CELLS.has(each), TABLE_SCOPE) === -1) return false;
  closeImplied(builder.open);
  closeThrough(builder.open, tag ?? CELLS);
  clearToMarker(builder);
  builder.mode = 'inRow';
  return true;
}

/** Returns whether the innermost element is part of a table but not a cell; text there, unless blank, goes before the table. */
export function isBetweenCells(builder: Builder): boolean {
  const { tag } = findInnermost(builder);
  return tag === 'table' || tag === 'tr' || GROUPS.has(tag);
}
