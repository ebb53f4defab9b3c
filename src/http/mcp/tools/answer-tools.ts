import type { JsonObject } from '../../calls/call.ts';
import { READ_ONLY, type Tool } from '../tool.ts';
import {
  createFootnotes,
  formatQuote,
  joinSections,
  readField,
  readRecords,
  readTextField,
} from '../writing.ts';

/** The tool for POST /v1/answer. */
export const answer: Tool = {
  name: 'answer',
  title: 'Answer a question',
  description: 'Answer a question from web pages, with its sources.',
  price: '1 credit; a written answer 5.',
  fields: { query: { kind: 'text', required: true, aliases: ['q', 'question'] } },
  isAboutWriting: true,
  annotations: READ_ONLY,
  call: ({ query }) => ({ method: 'POST', path: '/v1/answer', body: { query } }),
  write(body) {
    const text = readTextField(body, 'answer');
    if (text === '') return { text: 'No page answers this. Search for it instead.' };
    const pages = readRecords(body, 'citations').map(
      (page, place) =>
        `${place + 1}. ${readTextField(page, 'title') || '(no title)'}\n${readTextField(page, 'url')}`,
    );
    const isWritten = readRecords(body, 'statements').length > 0;
    return { text: joinSections([isWritten ? text : formatQuote(text), ...pages]) };
  },
};

/** The tool for POST /v1/verify with a text. */
export const checkClaims: Tool = {
  name: 'check_claims',
  title: 'Check the claims of a text',
  description: 'Check each sentence of a text by the pages it cites.',
  price: '1 credit per page; model 2.',
  fields: {
    text: { kind: 'text', required: true, aliases: ['report', 'markdown', 'claims'] },
  },
  isAboutWriting: true,
  annotations: READ_ONLY,
  call: ({ text }) => ({ method: 'POST', path: '/v1/verify', body: { text } }),
  write(body) {
    const footnotes = createFootnotes();
    const statements = readRecords(body, 'statements').map((statement) => formatClaim(statement, footnotes));
    if (statements.length === 0) return { text: 'The text has no sentence to check.' };
    return { text: joinSections([...statements, footnotes.text()]) };
  },
};

function formatClaim(statement: JsonObject, footnotes: ReturnType<typeof createFootnotes>): string {
  const verdict = readTextField(statement, 'verdict').replaceAll('_', ' ').toUpperCase();
  const lines = [`${verdict}: ${readTextField(statement, 'text')}`];
  const page = readField(statement, 'page');
  if (page !== null && page !== undefined) {
    const mark = footnotes.mark(readTextField(page, 'link'), readTextField(page, 'url'));
    lines.push(
      formatQuote(readTextField(page, 'quote')),
      ...(mark === '' ? [readTextField(page, 'url')] : [mark]),
    );
  }
  const problems = readRecords(statement, 'problems').map(
    (one) => `${readTextField(one, 'kind')}: ${readTextField(one, 'text')}`,
  );
  return [...lines, ...(problems.length === 0 ? [] : [`not on the page: ${problems.join('; ')}`])].join('\n');
}
