import { escapeUTF8 } from 'entities';
import type { PdfBlock } from './blocks.ts';
import type { Line } from './page-lines.ts';

/** Joins the lines of one paragraph to inline HTML. */
export type JoinLines = (lines: Line[]) => string;
type Piece = { text: string; link: string | number | null; mono: boolean };

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]$/u;
const FIRST_WORD = /^[\p{L}\p{M}]+/u;

/** Joins lines as their text was before it was broken: a hyphen stays where the document writes the word with one elsewhere. */
export function createJoiner(blocks: PdfBlock[], linkTo: (page: number) => string): JoinLines {
  let words: Set<string> | null = null;
  const decideJoint = (before: string, after: string): { cut: boolean; space: string } => {
    const [head, tail] = [findBrokenWord(before), FIRST_WORD.exec(after)?.[0]];
    if (head !== undefined && tail !== undefined) {
      words ??= collectWords(blocks);
      return { cut: isBroken(head, tail, words), space: '' };
    }
    if (/[-\u00ad]$/.test(before)) return { cut: false, space: /\s-$/.test(before) ? ' ' : '' };
    return { cut: false, space: /\s$/.test(before) || WITHOUT_SPACES.test(before) ? '' : ' ' };
  };
  return (lines) => {
    const pieces: Piece[] = [];
    for (const line of lines) {
      const last = pieces.at(-1);
      if (last !== undefined) {
        const { cut, space } = decideJoint(last.text, line.text);
        last.text = (cut ? last.text.slice(0, -1) : last.text) + space;
      }
      addRuns(pieces, line);
    }
    return pieces
      .map((piece) => renderPiece(piece, linkTo))
      .join('')
      .replaceAll('\u00ad', '-')
      .trim();
  };
}

/** Returns the letters before a hyphen that ends a text. */
function findBrokenWord(text: string): string | undefined {
  if (!/[-\u00ad]$/.test(text)) return undefined;
  const word = text.slice(text.lastIndexOf(' ') + 1, -1).replace(/^[^\p{L}]+/u, '');
  return /^[\p{L}\p{M}-]+$/u.test(word) && !word.endsWith('-') ? word : undefined;
}

/** Checks whether a hyphen at the end of a line was inserted by the line break. */
function isBroken(head: string, tail: string, words: Set<string>): boolean {
  const whole = (head.split('-').at(-1) + tail).toLowerCase();
  if (words.has(`${head}-${tail}`.toLowerCase())) return false;
  return words.has(whole) || (/^\p{Ll}/u.test(tail) && !head.includes('-'));
}

function addRuns(pieces: Piece[], line: Line): void {
  for (const { text, link, font } of line.runs) {
    const mono = font.mono;
    const last = pieces.at(-1);
    if (last !== undefined && last.link === link && last.mono === mono) last.text += text;
    else pieces.push({ text, link, mono });
  }
}

function renderPiece({ text, link, mono }: Piece, linkTo: (page: number) => string): string {
  const inner =
    mono && text.trim() !== ''
      ? `<code>${escapeUTF8(text.trim())}</code>${/\s$/.test(text) ? ' ' : ''}`
      : escapeUTF8(text);
  if (link === null) return inner;
  return `<a href="${escapeUTF8(typeof link === 'number' ? linkTo(link) : link)}">${inner}</a>`;
}

/** Collects the words of a document that are written within one line. */
function collectWords(blocks: PdfBlock[]): Set<string> {
  const words = new Set<string>();
  for (const block of blocks) {
    if (block.kind === 'page' || block.kind === 'code') continue;
    for (const line of block.kind === 'table' ? block.rows.flat() : block.lines)
      for (const [word] of line.text.matchAll(/\p{L}[\p{L}\p{M}-]*/gu))
        if (!word.endsWith('-')) words.add(word.toLowerCase());
  }
  return words;
}
