import { readXml } from './xml.ts';

/** The properties of a paragraph style; `heading` is 0 for text. */
type DocxStyle = { heading: number; isCode: boolean; list: string | null; level: string | null };
export type DocxStyles = Map<string, DocxStyle>;

const CHAIN_MAX = 10;

/** Reads the paragraph styles by id, with what they inherit from the styles that they are based on. */
export function readStyles(xml: string): DocxStyles {
  const raw = new Map<
    string,
    { name: string; basedOn: string; outline: string | null; list: string | null; level: string | null }
  >();
  let id = '';
  readXml(xml, {
    open(name, attributes) {
      const value = attributes['w:val'] ?? '';
      const style = raw.get(id);
      if (name === 'w:style') {
        id = attributes['w:styleId'] ?? '';
        raw.set(id, { name: '', basedOn: '', outline: null, list: null, level: null });
      } else if (style === undefined) return;
      else if (name === 'w:name') style.name = value;
      else if (name === 'w:basedOn') style.basedOn = value;
      else if (name === 'w:outlineLvl') style.outline = value;
      else if (name === 'w:numId') style.list = value;
      else if (name === 'w:ilvl') style.level = value;
    },
  });
  const styles: DocxStyles = new Map();
  for (const key of raw.keys()) {
    const found: DocxStyle = { heading: 0, isCode: false, list: null, level: null };
    let style = raw.get(key);
    for (let link = 0; style !== undefined && link < CHAIN_MAX; link += 1, style = raw.get(style.basedOn)) {
      found.heading ||= resolveHeadingLevel(style);
      found.isCode ||= /\b(?:code|preformatted|source|listing)\b/i.test(style.name);
      found.list ??= style.list;
      found.level ??= style.level;
    }
    styles.set(key, found);
  }
  return styles;
}

function resolveHeadingLevel({ name, outline }: { name: string; outline: string | null }): number {
  if (/^title$/i.test(name)) return 1;
  const level = /^heading (\d)$/i.exec(name)?.[1];
  if (level !== undefined) return Number(level);
  return outline !== null && /^[0-8]$/.test(outline) ? Number(outline) + 1 : 0;
}

/** Reads the levels of all lists by "list level": whether they are numbered, and from which number. */
export function readNumbering(xml: string): Map<string, { ordered: boolean; start: number }> {
  const kinds = new Map<string, { ordered: boolean; start: number }>();
  const levels = new Map<string, { ordered: boolean; start: number }>();
  let kind = '';
  let list = '';
  let level = '';
  readXml(xml, {
    open(name, attributes) {
      const value = attributes['w:val'] ?? '';
      if (name === 'w:abstractNum') kind = attributes['w:abstractNumId'] ?? '';
      else if (name === 'w:lvl') {
        level = attributes['w:ilvl'] ?? '0';
        kinds.set(`${kind} ${level}`, { ordered: false, start: 1 });
      } else if (name === 'w:numFmt')
        setLevel(kinds, `${kind} ${level}`, { ordered: value !== 'bullet' && value !== 'none' });
      else if (name === 'w:start') setLevel(kinds, `${kind} ${level}`, { start: Number(value) || 1 });
      else if (name === 'w:num') list = attributes['w:numId'] ?? '';
      else if (name === 'w:abstractNumId') {
        for (let at = 0; at < 9; at += 1) {
          const found = kinds.get(`${value} ${at}`);
          if (found !== undefined) levels.set(`${list} ${at}`, found);
        }
      }
    },
  });
  return levels;
}

function setLevel(
  kinds: Map<string, { ordered: boolean; start: number }>,
  key: string,
  more: Partial<{ ordered: boolean; start: number }>,
): void {
  const known = kinds.get(key);
  if (known !== undefined) kinds.set(key, { ...known, ...more });
}
