import { findTextCuts } from '../chunk/sentences.ts';
import { toVisibleText } from '../markup/visible-text.ts';
import { guessLanguage } from '../words/guess-language.ts';
import { checkStatement, listTellingTerms, type StatementProblem } from './check-statement.ts';

/**
 * What a page says about a statement. `contradicted`: it speaks of the same and has another number, unit, date, name or a denial;
 * `problems` names them. `near`: passages about a statement that was not found, for who understands more: those that share most words with it, then the first. Offsets
 * are those of the page's Markdown.
 */
type StatementVerdict =
  | { verdict: 'supported'; quote: string; start: number; end: number; problems: [] }
  | { verdict: 'contradicted'; quote: string; start: number; end: number; problems: StatementProblem[] }
  | { verdict: 'not_found'; quote: null; start: null; end: null; problems: []; near: Span[] };

type Span = { start: number; end: number };

type JudgedPage = { title: string; markdown: string };

/** Passages that are compared with a statement: the ones that share most words with it. */
const TRIED_MAX = 6;
const NEAR_MAX = 6;
/** Least share of the words of a statement in a passage that supports it, or that speaks of the same. */
const SHARE_MIN = { supported: 0.5, contradicted: 0.6 };
const QUOTE_CHARS_MAX = 1_500;
const NAMES = /(?<=[^.!?]\s)\p{Lu}[\p{L}'’-]*/gu;
const CONTRARY: ReadonlySet<StatementProblem['kind']> = new Set([
  'number',
  'unit',
  'date',
  'name',
  'negation',
  'role',
]);
const NAMING: ReadonlySet<StatementProblem['kind']> = new Set(['name', 'date']);

/** Judges statements by a page, by the rules of `checkStatement`: nobody has said which words of the page support them. */
export function judgeStatements(
  statements: readonly string[],
  { title, markdown: text }: JudgedPage,
): StatementVerdict[] {
  const language = guessLanguage([{ markdown: text.slice(0, 4_000) }]);
  const passages = listPassages(text);
  return statements.map((statement) => judge(statement, { text, title, language, passages }));
}

type PagePassage = { start: number; end: number; terms: ReadonlySet<string> };

/** Lists every sentence, and every pair of neighbouring ones. */
function listPassages(text: string): PagePassage[] {
  const cuts = findTextCuts(text).filter(({ kind }) => kind !== 'clause');
  const edges = [0, ...cuts.map(({ at }) => at), text.length];
  const sentences = edges.slice(1).flatMap((end, place): PagePassage[] => {
    const start = edges[place] ?? 0;
    const terms = listTellingTerms(toVisibleText(text.slice(start, end)));
    return terms.length === 0 ? [] : [{ start, end, terms: new Set(terms) }];
  });
  const pairs = sentences.flatMap((first, place): PagePassage[] => {
    const second = sentences[place + 1];
    if (second === undefined || second.end - first.start > QUOTE_CHARS_MAX) return [];
    return [{ start: first.start, end: second.end, terms: new Set([...first.terms, ...second.terms]) }];
  });
  return [...sentences, ...pairs];
}

type Judging = { text: string; title: string; language: string | null; passages: readonly PagePassage[] };

function judge(statement: string, { text, title, language, passages }: Judging): StatementVerdict {
  // Names count for agreement, not for whether a passage speaks of the same.
  const said = toVisibleText(statement);
  const about = new Set(listTellingTerms(said.replace(NAMES, '')));
  const terms = [...(about.size < 2 ? new Set(listTellingTerms(said)) : about)];
  const named = new Set(listTellingTerms(title));
  const measure = (passage: PagePassage): number =>
    terms.filter((term) => passage.terms.has(term) || named.has(term)).length / Math.max(1, terms.length);
  const alike = passages
    .map((passage) => ({ passage, share: measure(passage) }))
    .filter(({ passage }) => terms.some((term) => passage.terms.has(term)))
    // Of two that share as much, the shorter says it more plainly.
    .sort(
      (one, other) =>
        other.share - one.share ||
        one.passage.end - one.passage.start - (other.passage.end - other.passage.start),
    );
  const near = alike.filter(({ share }) => share >= SHARE_MIN.supported).slice(0, TRIED_MAX);
  const judged = near.map(({ passage: { start, end }, share }) => {
    const quote = text.slice(start, end);
    const problems = checkStatement(statement, [{ quote, context: quote, title }], {
      language,
      elsewhere: new Set(),
    });
    return { start, end, quote: quote.trim(), share, problems };
  });
  const support = judged.find(({ problems }) => problems.length === 0);
  if (support !== undefined) {
    const { quote, start, end } = support;
    return { verdict: 'supported', quote, start, end, problems: [] };
  }
  const contrary = judged.find(
    ({ share, problems }) => share >= SHARE_MIN.contradicted && isContradiction(problems),
  );
  if (contrary === undefined)
    return {
      verdict: 'not_found',
      quote: null,
      start: null,
      end: null,
      problems: [],
      near: chooseApart([...alike.map(({ passage }) => passage), ...passages]),
    };
  const { quote, start, end, problems } = contrary;
  return { verdict: 'contradicted', quote, start, end, problems };
}

/** Takes the first passages that do not overlap. */
function chooseApart(passages: readonly PagePassage[]): Span[] {
  const chosen: Span[] = [];
  for (const { start, end } of passages) {
    if (chosen.length === NEAR_MAX) break;
    if (chosen.every((other) => end <= other.start || other.end <= start)) chosen.push({ start, end });
  }
  return chosen;
}

/** Returns whether a text that lacks these speaks of the same as the statement, and says something else. */
export const isContradiction = (problems: readonly StatementProblem[]): boolean =>
  problems.length > 0 && problems.every((problem) => isContrary(problem, problems));

/** The words of a name or date that the passage does not have are no other subject. */
function isContrary({ kind, text }: StatementProblem, problems: readonly StatementProblem[]): boolean {
  if (CONTRARY.has(kind)) return true;
  return (
    kind === 'words' && problems.some((one) => NAMING.has(one.kind) && one.text.toLowerCase().includes(text))
  );
}
