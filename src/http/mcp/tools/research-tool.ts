import { ANSWER_TOKENS_DEFAULT } from '../../../contract/limits.ts';
import type { Answer, JsonObject } from '../../calls/call.ts';
import { type Arguments, READ_FIELDS, READ_ONLY, type Tool } from '../tool.ts';
import {
  formatFootnote,
  formatFootnotes,
  formatQuote,
  joinSections,
  readRecords,
  readTextField,
  readTextList,
} from '../writing.ts';

/** Share of the token budget for quotations; the rest is for the text around them. */
const QUOTED_SHARE = 0.7;

/** The tool for POST /v1/research. */
export const deepResearch: Tool = {
  name: 'deep_research',
  title: 'Research a question',
  description:
    'Research a question: quotations with sources, where they agree or conflict, what was not found. Takes up to a minute.',
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
      maxTokens: computeQuoteTokens(max_tokens),
    },
  }),
  write: writeEvidence,
};

function computeQuoteTokens(wanted: Arguments[string]): number {
  return Math.max(
    1,
    Math.floor(QUOTED_SHARE * (typeof wanted === 'number' ? wanted : ANSWER_TOKENS_DEFAULT)),
  );
}

/** Writes the findings first, then the passages behind them. */
function writeEvidence(answer: Answer['body']): { text: string } {
  const passages = readRecords(answer, 'evidence');
  const evidence = passages.map(formatPassage);
  const unanswered = readTextField(answer, 'unanswered');
  const found = evidence.length === 0 ? 'No relevant passage was found. Rephrase the question.' : unanswered;
  return {
    text: joinSections([
      found,
      formatList('Sources agree', readRecords(answer, 'agreements').map(formatAgreement)),
      formatList('Sources disagree', readRecords(answer, 'disagreements').map(formatDisagreement)),
      formatList('Not found', readRecords(answer, 'notFound').map(formatMissing)),
      ...evidence,
      formatFootnotes(passages.filter(hasLink).map(buildFootnote)),
    ]),
  };
}

function formatList(heading: string, lines: string[]): string {
  return lines.length === 0 ? '' : [`${heading}:`, ...lines].join('\n');
}

function formatAgreement(agreement: JsonObject): string {
  return `- ${readTextField(agreement, 'what')}: ${readTextField(agreement, 'value')} (${readTextList(agreement, 'sources').join(', ')})`;
}

function formatDisagreement(disagreement: JsonObject): string {
  const values = readRecords(disagreement, 'values').map(
    (side) => `${readTextField(side, 'value')} (${readTextList(side, 'sources').join(', ')})`,
  );
  return `- ${readTextField(disagreement, 'what')}: ${values.join(' / ')}`;
}

function formatMissing(missing: JsonObject): string {
  return `- ${readTextField(missing, 'facet')}: ${readTextField(missing, 'why')}`;
}

function formatPassage(evidence: JsonObject): string {
  const date = readTextField(evidence, 'publishedDate');
  const path = readTextList(evidence, 'headingPath').join(' > ');
  return [
    `[${readTextField(evidence, 'id')}] ${readTextField(evidence, 'title')}${date === '' ? '' : ` (${date})`}`,
    readTextField(evidence, 'url'),
    ...(path === '' ? [] : [`Under: ${path}`]),
    formatQuote(readTextField(evidence, 'quote')),
  ].join('\n');
}

const hasLink = (evidence: JsonObject): boolean =>
  !['', readTextField(evidence, 'url')].includes(readTextField(evidence, 'link'));

function buildFootnote(evidence: JsonObject): string {
  return formatFootnote(
    `[${readTextField(evidence, 'id')}]`,
    readTextField(evidence, 'link'),
    readTextField(evidence, 'url'),
  );
}
