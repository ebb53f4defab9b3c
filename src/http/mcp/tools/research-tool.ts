import { ANSWER_TOKENS_DEFAULT } from '../../../contract/limits.ts';
import type { Answer, JsonObject } from '../../calls/call.ts';
import { type Arguments, READ_FIELDS, READ_ONLY, type Tool } from '../tool.ts';
import { footnote, footnotesOf, quoted, recordsOf, sections, textOf, textsOf } from '../writing.ts';

/** Share of the token budget for quotations; the rest is for the text around them. */
const QUOTED_SHARE = 0.7;

/** The tool for POST /v1/research. */
export const deepResearch: Tool = {
  name: 'deep_research',
  title: 'Research a question',
  description:
    'Research a question over many searches and pages: quotations with sources, where they agree or conflict, what was not found. Takes up to a minute.',
  price: '1 credit per search.',
  fields: {
    question: { kind: 'text', required: true, aliases: ['query', 'q', 'topic', 'input'] },
    max_searches: { kind: 'count' },
    max_pages: { kind: 'count' },
    max_seconds: { kind: 'count', aliases: ['timeout'] },
    ...READ_FIELDS,
  },
  annotations: READ_ONLY,
  isLong: true,
  call: ({ question, max_searches, max_pages, max_seconds, max_tokens }) => ({
    method: 'POST',
    path: '/v1/research',
    body: {
      question,
      maxSearches: max_searches,
      maxPages: max_pages,
      maxSeconds: max_seconds,
      maxTokens: quotedTokens(max_tokens),
    },
  }),
  write: writeEvidence,
};

function quotedTokens(wanted: Arguments[string]): number {
  return Math.max(
    1,
    Math.floor(QUOTED_SHARE * (typeof wanted === 'number' ? wanted : ANSWER_TOKENS_DEFAULT)),
  );
}

/** Findings first, then the passages behind them. */
function writeEvidence(answer: Answer['body']): { text: string } {
  const passages = recordsOf(answer, 'evidence');
  const evidence = passages.map(passageText);
  const found = evidence.length === 0 ? 'No relevant passage was found. Rephrase the question.' : '';
  return {
    text: sections([
      found,
      listed('Sources agree', recordsOf(answer, 'agreements').map(agreementLine)),
      listed('Sources disagree', recordsOf(answer, 'disagreements').map(disagreementLine)),
      listed('Not found', recordsOf(answer, 'notFound').map(missingLine)),
      ...evidence,
      footnotesOf(passages.filter(hasLink).map(footnoteOf)),
    ]),
  };
}

function listed(heading: string, lines: string[]): string {
  return lines.length === 0 ? '' : [`${heading}:`, ...lines].join('\n');
}

function agreementLine(agreement: JsonObject): string {
  return `- ${textOf(agreement, 'what')}: ${textOf(agreement, 'value')} (${textsOf(agreement, 'sources').join(', ')})`;
}

function disagreementLine(disagreement: JsonObject): string {
  const values = recordsOf(disagreement, 'values').map(
    (side) => `${textOf(side, 'value')} (${textsOf(side, 'sources').join(', ')})`,
  );
  return `- ${textOf(disagreement, 'what')}: ${values.join(' / ')}`;
}

function missingLine(missing: JsonObject): string {
  return `- ${textOf(missing, 'facet')}: ${textOf(missing, 'why')}`;
}

function passageText(evidence: JsonObject): string {
  const date = textOf(evidence, 'publishedDate');
  const path = textsOf(evidence, 'headingPath').join(' > ');
  return [
    `[${textOf(evidence, 'id')}] ${textOf(evidence, 'title')}${date === '' ? '' : ` (${date})`}`,
    textOf(evidence, 'url'),
    ...(path === '' ? [] : [`Under: ${path}`]),
    quoted(textOf(evidence, 'quote')),
  ].join('\n');
}

const hasLink = (evidence: JsonObject): boolean =>
  !['', textOf(evidence, 'url')].includes(textOf(evidence, 'link'));

function footnoteOf(evidence: JsonObject): string {
  return footnote(`[${textOf(evidence, 'id')}]`, textOf(evidence, 'link'), textOf(evidence, 'url'));
}
