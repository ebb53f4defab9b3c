/**
 * The conditions of a monitor, judged on two texts of a page. They need no model: each compares what stands in the earlier text with what
 * stands in the later one, so that a condition holds once when it comes true and not at every check after.
 */
import type { MonitorCondition } from './monitor-types.ts';

/** Two versions of a page's Markdown, and the share of the text that differs. */
type ComparedTexts = { before: string; after: string; changedShare: number };

/** A number as pages write it: 1,299.00, 1.299,00, 1 299 or 12.5. */
const NUMBER = /[-−]?\d[\d.,'’ \u00a0\u202f]{0,20}/g;
/** Distance after a label within which its number stands, and where it is looked for. */
const NUMBER_CHARS_MAX = 120;

/** Returns the conditions that came true between the two texts, in words. */
export function listMetConditions(conditions: readonly MonitorCondition[], texts: ComparedTexts): string[] {
  return conditions.flatMap((condition) => describeIfMet(condition, texts) ?? []);
}

function describeIfMet(condition: MonitorCondition, texts: ComparedTexts): string | null {
  if (condition.kind === 'phrase') return describePhrase(condition, texts);
  if (condition.kind === 'number') return describeNumber(condition, texts);
  if (condition.kind === 'row') return describeRow(condition, texts);
  const percent = Math.round(texts.changedShare * 100);
  return texts.changedShare >= condition.share ? `${percent} % of the text changed` : null;
}

type Condition<Kind extends MonitorCondition['kind']> = Extract<MonitorCondition, { kind: Kind }>;

function describePhrase(
  { phrase, becomes }: Condition<'phrase'>,
  { before, after }: ComparedTexts,
): string | null {
  const wanted = foldText(phrase);
  const [was, is] = [foldText(before).includes(wanted), foldText(after).includes(wanted)];
  if (becomes === 'present') return !was && is ? `“${phrase}” appeared` : null;
  return was && !is ? `“${phrase}” disappeared` : null;
}

/** Letter case, marks of emphasis and runs of white space do not count. */
const foldText = (text: string): string =>
  text.toLowerCase().replace(/[*_`]/g, '').replace(/\s+/g, ' ').trim();

function describeNumber(
  { label, above, below }: Condition<'number'>,
  { before, after }: ComparedTexts,
): string | null {
  const is = findLabelledNumber(after, label);
  if (is === null) return null;
  const was = findLabelledNumber(before, label);
  if (above !== null && is > above && (was === null || was <= above))
    return `${label} rose above ${above}: ${is}`;
  if (below !== null && is < below && (was === null || was >= below))
    return `${label} fell below ${below}: ${is}`;
  return null;
}

/** Finds the first number after a label, within the next hundred characters or so; null if there is none. */
export function findLabelledNumber(text: string, label: string): number | null {
  const folded = text.toLowerCase();
  const wanted = label.trim().toLowerCase();
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + 1)) {
    const rest = text.slice(at + wanted.length, at + wanted.length + NUMBER_CHARS_MAX);
    const found = rest.match(NUMBER)?.[0];
    const value = found === undefined ? null : parseNumber(found);
    if (value !== null) return value;
  }
  return null;
}

/** Reads a number with marks for thousands and a decimal point or comma; null if it is none. */
function parseNumber(written: string): number | null {
  const plain = written
    .replace(/[\s'’]/g, '')
    .replace('−', '-')
    .replace(/(?<![.,])[.,]+$/, '');
  const marks = plain.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  const digitsAfter = last === undefined ? 0 : plain.length - plain.lastIndexOf(last) - 1;
  const isMixed = new Set(marks).size > 1;
  // 1,299 is a thousand and 1,29 is not; where both marks stand, the last one is the decimal point.
  const isDecimal = isMixed || (marks.length === 1 && (digitsAfter !== 3 || plain.startsWith('0')));
  const digits =
    isDecimal && last !== undefined
      ? `${plain.slice(0, plain.lastIndexOf(last)).replace(/[.,]/g, '')}.${plain.slice(plain.lastIndexOf(last) + 1)}`
      : plain.replace(/[.,]/g, '');
  const value = Number(digits);
  return digits === '' || Number.isNaN(value) ? null : value;
}

function describeRow({ text }: Condition<'row'>, { before, after }: ComparedTexts): string | null {
  const [rows, rowsAfter] = [listRows(before, text), listRows(after, text)];
  const added = rowsAfter.filter((row) => !rows.includes(row));
  const removed = rows.filter((row) => !rowsAfter.includes(row));
  const [shown] = [...added, ...removed];
  return shown === undefined ? null : `a row with “${text}” changed: ${shown}`;
}

/** Lists the rows of tables that contain a text, with single spaces. */
function listRows(markdown: string, text: string): string[] {
  const wanted = foldText(text);
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && foldText(line).includes(wanted))
    .map((line) => line.replace(/\s+/g, ' ').trim());
}
