/** A place where a text may be cut: after a sentence, at a line break, after a clause. */
export type TextCut = { at: number; kind: 'sentence' | 'line' | 'clause' };

/** Abbreviations whose period does not end a sentence; single letters (initials) do not end one either. */
const ABBREVIATIONS = new Set(
  'e.g i.e etc vs cf approx al fig figs eq no nos vol pp ed eds dr mr mrs ms prof sr jr st inc ltd co corp dept est bzw z.b d.h u.a ca nr str sog p.ex m'.split(
    ' ',
  ),
);
const WORD_CHARS_MAX = 12;
/** Distance within which the ends of a link or code span are searched for. */
const SPAN_CHARS_MAX = 300;

/** Roles of characters for cutting; most have none. */
const [NOTHING, LINE, END, WIDE_END, CLAUSE, WIDE_CLAUSE, CLOSER] = [0, 1, 2, 3, 4, 5, 6];
const MEANING = buildMeaningTable([
  [LINE, '\n'],
  // End a sentence or a clause where white space follows.
  [END, '.!?…؟۔।॥።։႟។៕'],
  [CLAUSE, ',;:،؛—–'],
  // The same in scripts that write no space after them.
  [WIDE_END, '。！？｡'],
  [WIDE_CLAUSE, '，、；：'],
  [CLOSER, `"'”’»)]*_』」）】》〉`],
]);

/** Returns the places where a text may be cut, in order, without its own end. One pass; none is inside a link or a code span. */
export function findTextCuts(text: string): TextCut[] {
  const cuts: TextCut[] = [];
  let at = 0;
  /** End of the last run of sentence ends and closing marks, which all of them share. */
  let run = 0;
  while (at < text.length) {
    const meaning = readMeaning(text, at);
    if (meaning === NOTHING || meaning === CLOSER) {
      at += 1;
      continue;
    }
    if ((meaning === END || meaning === WIDE_END) && at >= run) run = findRunEnd(text, at + 1);
    const cut = findCut(text, at, { meaning, run });
    if (cut !== null && cut.at < text.length && !isInSpan(text, cut.at)) cuts.push(cut);
    at = Math.max(at + 1, cut?.at ?? 0);
  }
  return cuts;
}

/** Returns the offsets at which the sentences of a text end, without the last one. */
export function findSentenceEnds(text: string): number[] {
  return findTextCuts(text).flatMap(({ at, kind }) => (kind === 'sentence' ? [at] : []));
}

function buildMeaningTable(of: [meaning: number, characters: string][]): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [meaning, characters] of of) {
    for (const character of characters) table[character.charCodeAt(0)] = meaning;
  }
  return table;
}

const readMeaning = (text: string, at: number): number => MEANING[text.charCodeAt(at)] ?? NOTHING;

/** `run`: the end of the run of sentence ends and closing marks at `at`. */
function findCut(
  text: string,
  at: number,
  { meaning, run: end }: { meaning: number; run: number },
): TextCut | null {
  if (meaning === LINE) return { at, kind: 'line' };
  if (meaning === WIDE_CLAUSE) return { at: at + 1, kind: 'clause' };
  if (meaning === CLAUSE) return isSpace(text, at + 1) ? { at: at + 1, kind: 'clause' } : null;
  if (meaning === WIDE_END) return { at: end, kind: 'sentence' };
  if (!isSpace(text, end)) return null;
  const isOver = text[at] !== '.' || !(isAbbreviation(text, at) || isContinued(text, end));
  return isOver ? { at: end, kind: 'sentence' } : null;
}

/** Skips further sentence ends and the quotes and brackets that close with them. */
function findRunEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const meaning = readMeaning(text, at);
    if (meaning !== END && meaning !== WIDE_END && meaning !== CLOSER) break;
  }
  return at;
}

function isSpace(text: string, at: number): boolean {
  const char = text[at];
  return char === ' ' || char === '\n' || char === '\t' || char === '\u00a0';
}

function isContinued(text: string, at: number): boolean {
  const next = text[at + 1] ?? '';
  return next !== next.toUpperCase();
}

function isAbbreviation(text: string, point: number): boolean {
  const word =
    /(?<![\p{L}\p{N}.])[\p{L}\p{N}.]+$/u.exec(text.slice(Math.max(0, point - WORD_CHARS_MAX), point))?.[0] ??
    '';
  return /^\p{L}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase());
}

/** True inside the text or address of a link, or between two backticks. */
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
