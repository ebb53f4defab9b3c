/** A place where a text may be cut: behind a sentence, at a line break, behind a clause. */
export type TextCut = { at: number; kind: 'sentence' | 'line' | 'clause' };

/** Words that end in a point inside a sentence; with single letters (initials) they end none. */
const ABBREVIATIONS = new Set(
  'e.g i.e etc vs cf approx al fig figs eq no nos vol pp ed eds dr mr mrs ms prof sr jr st inc ltd co corp dept est bzw z.b d.h u.a ca nr str sog p.ex m'.split(
    ' ',
  ),
);
const WORD_CHARS_MAX = 12;
/** How far around a place the ends of a link or code span are looked for. */
const SPAN_CHARS_MAX = 300;

/** Ends a sentence where white space follows. */
const ENDS = new Set([...'.!?…؟۔।॥։።႟။៕']);
/** End a sentence and a clause in scripts that write no space behind them. */
const WIDE_ENDS = new Set([...'。！？｡']);
const WIDE_CLAUSES = new Set([...'，、；：']);
const CLAUSES = new Set([...',;:،؛—–']);
const CLOSERS = new Set([...'"\'”’»)]*_』」）】》〉']);

/** The places where a text may be cut, in order, its own end left out. One pass; none inside a link or a code span. */
export function textCuts(text: string): TextCut[] {
  const cuts: TextCut[] = [];
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    // Letters, digits and space are most of any text.
    if (code === 0x20 || (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a)) {
      at += 1;
      continue;
    }
    const cut = cutAt(text, at);
    if (cut !== null && cut.at < text.length && !isInSpan(text, cut.at)) cuts.push(cut);
    at = Math.max(at + 1, cut?.at ?? 0);
  }
  return cuts;
}

function cutAt(text: string, at: number): TextCut | null {
  const char = text[at] ?? '';
  if (char === '\n') return { at, kind: 'line' };
  if (WIDE_ENDS.has(char)) return { at: runEnd(text, at + 1, WIDE_ENDS), kind: 'sentence' };
  if (WIDE_CLAUSES.has(char)) return { at: at + 1, kind: 'clause' };
  if (CLAUSES.has(char)) return isSpace(text, at + 1) ? { at: at + 1, kind: 'clause' } : null;
  if (!ENDS.has(char)) return null;
  const end = runEnd(text, at + 1, ENDS);
  if (!isSpace(text, end)) return null;
  const isOver = char !== '.' || !(endsInAbbreviation(text, at) || goesOn(text, end));
  return isOver ? { at: end, kind: 'sentence' } : null;
}

/** Behind more of the same and the quotes and brackets that close with it. */
function runEnd(text: string, from: number, ends: Set<string>): number {
  let at = from;
  while (at < text.length && (ends.has(text[at] ?? '') || CLOSERS.has(text[at] ?? ''))) at += 1;
  return at;
}

function isSpace(text: string, at: number): boolean {
  const char = text[at];
  return char === ' ' || char === '\n' || char === '\t' || char === '\u00a0';
}

function goesOn(text: string, at: number): boolean {
  const next = text[at + 1] ?? '';
  return next !== next.toUpperCase();
}

function endsInAbbreviation(text: string, point: number): boolean {
  const word = /[\p{L}\p{N}.]+$/u.exec(text.slice(Math.max(0, point - WORD_CHARS_MAX), point))?.[0] ?? '';
  return /^\p{L}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase());
}

/** Whether a place lies inside the text of a link or between two backticks. */
export function isInSpan(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - SPAN_CHARS_MAX), at);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  if (!line.includes('[') && !line.includes('`')) return false;
  const after = text.slice(at, at + SPAN_CHARS_MAX);
  if (line.lastIndexOf('[') > line.lastIndexOf(']')) {
    const closed = after.indexOf(']');
    if (closed !== -1 && after[closed + 1] === '(') return true;
  }
  if (line.lastIndexOf('](') > line.lastIndexOf(')')) return after.includes(')');
  return line.split('`').length % 2 === 0 && after.includes('`');
}
