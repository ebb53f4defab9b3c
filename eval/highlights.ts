/**
 * How often the highlights and the pruned context of the right page hold the answer: 91 questions over reference pages of Debian packages
 * (highlights/questions.jsonl), written with the patterns that accept an answer before any was looked at. No weight is fitted on them.
 *
 *   npm run eval:highlights -- --docs <folder like usr/share/doc>
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CHARS_PER_TOKEN, HIGHLIGHTS_MAX } from '../src/contract/limits.ts';
import { extractHtml } from '../src/pages/extract/extract-html.ts';
import { pageParts } from '../src/text/prune/page-parts.ts';
import { shownText } from './manuals/shown-text.ts';

type Asked = { page: string; question: string; answers: string[] };
type Outcome = { first: boolean; three: boolean; within: boolean; context: boolean; tokens: number };

const TOKENS_MAX = 650;
const HIGHLIGHTS = 3;

const { values } = parseArgs({ options: { docs: { type: 'string', default: '/usr/share/doc' } } });
const outcomes = readFileSync(resolve(import.meta.dirname, 'highlights/questions.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => outcomeOf(JSON.parse(line) as Asked));
const share = (holds: (one: Outcome) => boolean): string =>
  `${((100 * outcomes.filter(holds).length) / outcomes.length).toFixed(1)} %`;
const tokens = outcomes.map((one) => one.tokens).sort((one, other) => one - other);
console.log(`questions                       ${outcomes.length}`);
console.log(`in the first highlight          ${share(({ first }) => first)}`);
console.log(`in three highlights             ${share(({ three }) => three)}`);
console.log(`in ${TOKENS_MAX} tokens of highlights     ${share(({ within }) => within)}`);
console.log(`in the pruned context           ${share(({ context }) => context)}`);
console.log(`tokens of the context (median)  ${tokens[Math.floor(tokens.length / 2)] ?? 0}`);

function outcomeOf({ page, question, answers }: Asked): Outcome {
  const html = readFileSync(join(values.docs, page), 'utf8');
  const { markdown, language } = extractHtml(html, `https://manual.example/${page}`);
  const patterns = answers.map((answer) => new RegExp(answer));
  const holds = (text: string): boolean => patterns.some((pattern) => pattern.test(shownText(text)));
  const few = { query: null, perUrl: HIGHLIGHTS, charsMax: null };
  const filled = { query: null, perUrl: HIGHLIGHTS_MAX, charsMax: TOKENS_MAX * CHARS_PER_TOKEN };
  const parts = pageParts(
    { markdown, language },
    { text: null, highlights: few, pruned: { query: null } },
    question,
  );
  const { highlights: within = [] } = pageParts(
    { markdown, language },
    { text: null, highlights: filled, pruned: null },
    question,
  );
  const { highlights: three = [], prunedContext = '' } = parts;
  return {
    first: holds(three[0] ?? ''),
    three: three.some(holds),
    within: within.some(holds),
    context: holds(prunedContext),
    tokens: Math.round(prunedContext.length / CHARS_PER_TOKEN),
  };
}
