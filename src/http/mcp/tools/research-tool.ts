import { LOOKS, PART_FIELDS, type Tool } from '../tool.ts';
import { textOf } from '../writing.ts';

const TOKENS_DEFAULT = 6_000;

/** Stands for POST /v1/research. */
export const deepResearch: Tool = {
  name: 'deep_research',
  description:
    'Research a question over many searches and pages: quotations with sources, agreement, conflicts, gaps. 1 credit per search.',
  fields: {
    question: { kind: 'text', required: true, aliases: ['query', 'q', 'topic', 'input'] },
    max_searches: { kind: 'count' },
    max_pages: { kind: 'count' },
    max_seconds: { kind: 'count' },
    ...PART_FIELDS,
  },
  annotations: LOOKS,
  isLong: true,
  call: ({ question, max_searches, max_pages, max_seconds, max_tokens = TOKENS_DEFAULT }) => ({
    method: 'POST',
    path: '/v1/research',
    body: {
      question,
      maxSearches: max_searches,
      maxPages: max_pages,
      maxSeconds: max_seconds,
      maxTokens: max_tokens,
    },
  }),
  write: (answer) => ({ text: textOf(answer, 'markdown') }),
};
