import { toVisibleText } from '../markup/visible-text.ts';
import { checkStatement, type StatementProblem, type Support } from './check-statement.ts';
import { readFigures } from './figures.ts';
import { buildSupport, locateQuote, type ProvedQuote, type SourcePassage } from './prove-statements.ts';

/** A value that a schema asks for, by its JSON pointer. `isChoice`: one of the words of the schema, which need not be on a page. */
export type WrittenField = { path: string; value: string | number | boolean; isChoice: boolean };

/** A quotation that a model gave for a field; passages are numbered from 1. */
export type FieldSupport = { path: string; passage: number; quote: string };

/** A field that was checked; a proved one has no problems. */
export type ProvedField = { path: string; quotes: ProvedQuote[]; problems: StatementProblem[] };

const FIELDS_MAX = 500;
const QUOTE_CHARS_MAX = 2_000;
const QUOTES_MAX = 5;
/** A shorter text may stand anywhere by accident. */
const OWN_QUOTE_CHARS_MIN = 3;

/**
 * Checks the fields of an object against the passages that they were read from: each needs a quotation that stands in its passage, and
 * holds its value. A text that stands in a passage word for word is its own quotation.
 */
export function proveFields(
  fields: readonly WrittenField[],
  support: readonly FieldSupport[],
  passages: readonly SourcePassage[],
): ProvedField[] {
  return fields.slice(0, FIELDS_MAX).map((field) => {
    const given = support
      .filter(({ path }) => path === field.path)
      .slice(0, QUOTES_MAX)
      .flatMap(({ passage, quote }) => {
        const one = { passage: passage - 1, quote: quote.slice(0, QUOTE_CHARS_MAX) };
        return locateQuote(one, passages[one.passage]) ?? [];
      });
    const problems =
      given.length === 0
        ? null
        : checkField(
            field,
            given.map((quote) => buildSupport(quote, passages[quote.passage])),
          );
    if (problems !== null && problems.length === 0) return { path: field.path, quotes: given, problems };
    const own = quoteItself(field, passages);
    if (own !== null) return { path: field.path, quotes: [own], problems: [] };
    return {
      path: field.path,
      quotes: [],
      problems: problems ?? [{ kind: 'quotation', text: String(field.value) }],
    };
  });
}

function quoteItself(
  { value, isChoice }: WrittenField,
  passages: readonly SourcePassage[],
): ProvedQuote | null {
  if (typeof value !== 'string' || isChoice || value.trim().length < OWN_QUOTE_CHARS_MIN) return null;
  for (const [passage, source] of passages.entries()) {
    const place = locateQuote({ passage, quote: value }, source);
    if (place !== null && isWhole(source.text, place)) return place;
  }
  return null;
}

/** A word within a longer one is no quotation. */
const isWhole = (text: string, { start, end }: ProvedQuote): boolean =>
  !/[\p{L}\p{N}]{2}/u.test(text.slice(Math.max(0, start - 1), start + 1)) &&
  !/[\p{L}\p{N}]{2}/u.test(text.slice(end - 1, end + 1));

function checkField({ value, isChoice }: WrittenField, support: readonly Support[]): StatementProblem[] {
  // A choice and a truth value are judgements: that their quotation stands on the page is all that can be checked.
  if (isChoice || typeof value === 'boolean') return [];
  const quoted = support.map(({ quote }) => toVisibleText(quote)).join('\n');
  if (typeof value === 'number') {
    const isThere = readFigures(quoted).some(({ values, unit }) =>
      values.some((one) => isSame(one, value) || (unit?.dimension === 'percent' && isSame(one, value * 100))),
    );
    return isThere ? [] : [{ kind: 'number', text: String(value) }];
  }
  if (quoted.toLowerCase().includes(value.trim().toLowerCase())) return [];
  return checkStatement(value, support, { language: null, elsewhere: new Set() });
}

const isSame = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other));
