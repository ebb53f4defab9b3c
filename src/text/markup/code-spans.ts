/** A code span of a text: `text.slice(start, end)` with its backticks, of which there are `ticks` on each side. */
type CodeSpan = { start: number; end: number; ticks: number };

/**
 * Finds the code spans of a paragraph: a run of backticks, up to the next run of the same length (CommonMark 0.31, section 6.1). A backslash
 * before the first run makes it text. Takes time proportional to the length of the text.
 */
export function findCodeSpans(text: string): CodeSpan[] {
  if (!text.includes('`')) return [];
  const runs = [...text.matchAll(/`+/g)];
  const next = findNextEqual(runs.map(([run]) => run.length));
  const spans: CodeSpan[] = [];
  let from = 0;
  for (const [at, { index, 0: run }] of runs.entries()) {
    const isOpening = index >= from && !isEscaped(text, index);
    const closing = isOpening ? runs[next[at] ?? -1] : undefined;
    if (closing === undefined) continue;
    from = closing.index + closing[0].length;
    spans.push({ start: index, end: from, ticks: run.length });
  }
  return spans;
}

/** Private-use characters around the number of a code span while the text around it is rewritten; they occur on no page. */
const [OPEN, CLOSE] = ['\ue000', '\ue001'];
const PLACE = /\ue000(\d{1,9})\ue001/g;

/**
 * Rewrites a paragraph without its code spans, for which marks stand meanwhile, and puts the spans back: `show` gets the code of each
 * (CommonMark strips a space at both ends) and the span as written. The text may be rewritten around the marks, but must keep them.
 */
export function rewriteOutsideCode(
  text: string,
  rewrite: (held: string) => string,
  show: (code: string, span: string) => string = (_, span) => span,
): string {
  const spans = findCodeSpans(text);
  if (spans.length === 0) return rewrite(text);
  let held = '';
  let from = 0;
  for (const [at, { start, end }] of spans.entries()) {
    held += `${text.slice(from, start)}${OPEN}${at}${CLOSE}`;
    from = end;
  }
  return rewrite(held + text.slice(from)).replace(PLACE, (_, at: string) => {
    const span = spans[Number(at)];
    if (span === undefined) return '';
    const { start, end, ticks } = span;
    return show(readCode(text.slice(start + ticks, end - ticks)), text.slice(start, end));
  });
}

function readCode(written: string): string {
  const code = written.replaceAll('\n', ' ');
  const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
  return isPadded ? code.slice(1, -1) : code;
}

/** Checks whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

/** Returns for each length the index of the next equal one; -1 where there is none. */
function findNextEqual(lengths: readonly number[]): number[] {
  const later = new Map<number, number>();
  const next = lengths.map(() => -1);
  for (let at = lengths.length - 1; at >= 0; at -= 1) {
    const length = lengths[at] ?? 0;
    next[at] = later.get(length) ?? -1;
    later.set(length, at);
  }
  return next;
}
