import { type Case, each, missing, posting, refused, served, someText, textOrNull } from './spec-case.ts';

const search = posting('/shapeB/search');
const query = 'survey';
const count = (length: number) => served(1, { is: { 'results.length': length } });
const domains = (length: number): string[] => Array.from({ length }, (_, place) => `host${place}.example`);

/** What POST /shapeB/search takes and refuses, field by field. */
export const SECOND_SHAPE_REQUESTS: Case[] = [
  search('TQ01', 'a query of 1 character is searched', { query: 'a' }, served(1)),
  search(
    'TQ02',
    'a query of 2,000 characters is searched',
    { query: `${'survey '.repeat(285)}knots` },
    served(1),
  ),
  search('TQ03', 'a query of 2,001 characters is refused', { query: 'q'.repeat(2_001) }, refused('query')),
  search('TQ04', 'a missing query is refused', {}, refused('query')),
  ...each(['', null, 7, ['q'], {}], (value, n) =>
    search(`TQ05.${n}`, `query ${JSON.stringify(value)} is refused`, { query: value }, refused('query')),
  ),

  search('TN01', 'max_results defaults to 5', { query }, count(5)),
  search('TN02', 'max_results 1 gives one result', { query, max_results: 1 }, count(1)),
  search('TN03', 'max_results 25 gives 25 results', { query, max_results: 25 }, count(25)),
  search('TN04', 'max_results 26 is capped at 25', { query, max_results: 26 }, count(25)),
  search('TN05', 'max_results of any size is capped at 25', { query, max_results: 1e21 }, count(25)),
  search('TN06', 'max_results 0 gives an empty list', { query, max_results: 0 }, count(0)),
  search('TN07', 'max_results null gives the default', { query, max_results: null }, count(5)),
  ...each([-1, 1.5, 'many', [5], {}], (value, n) =>
    search(
      `TN08.${n}`,
      `max_results ${JSON.stringify(value)} is refused`,
      { query, max_results: value },
      refused('max_results'),
    ),
  ),

  ...each(['basic', 'advanced', 'fast', 'ultra-fast'], (depth, n) =>
    search(
      `TD01.${n}`,
      `search_depth ${depth} costs 1 credit`,
      { query, search_depth: depth, max_results: 2 },
      count(2),
    ),
  ),
  search('TD02', 'search_depth null gives the default', { query, search_depth: null }, count(5)),

  search(
    'TR01',
    'raw_content is null unless asked for',
    { query, max_results: 2 },
    served(1, { is: { 'results.*.raw_content': null } }),
  ),
  ...each([true, 'markdown', 'text'], (value, n) =>
    search(
      `TR02.${n}`,
      `include_raw_content ${JSON.stringify(value)} gives raw_content`,
      { query, max_results: 2, include_raw_content: value },
      served(1, { is: { 'results.*.raw_content': someText } }),
    ),
  ),
  ...each([false, null], (value, n) =>
    search(
      `TR03.${n}`,
      `include_raw_content ${value} gives null`,
      { query, max_results: 2, include_raw_content: value },
      served(1, { is: { 'results.*.raw_content': null } }),
    ),
  ),
  search('TA01', 'answer is missing unless asked for', { query }, served(1, { is: { answer: missing } })),
  ...each([true, 'basic', 'advanced'], (value, n) =>
    search(
      `TA02.${n}`,
      `include_answer ${JSON.stringify(value)} adds answer`,
      { query: 'What does the sanderling feed on?', max_results: 2, include_answer: value },
      served(1, { is: { answer: textOrNull } }),
    ),
  ),
  ...each([false, null], (value, n) =>
    search(
      `TA03.${n}`,
      `include_answer ${value} adds none`,
      { query, include_answer: value },
      served(1, { is: { answer: missing } }),
    ),
  ),
  search(
    'TA04',
    'answer is null when nothing is relevant enough',
    { query: 'nothing zxqv blorp', include_answer: true },
    served(1, { is: { answer: null } }),
  ),

  ...each(['include_domains', 'exclude_domains'], (name, n) =>
    search(`TF01.${n}`, `${name} takes 100 entries`, { query, [name]: domains(100) }, served(1)),
  ),
  ...each(['include_domains', 'exclude_domains'], (name, n) =>
    search(`TF02.${n}`, `${name} refuses 101 entries`, { query, [name]: domains(101) }, refused(name)),
  ),
  ...each(['include_domains', 'exclude_domains'], (name, n) =>
    search(
      `TF03.${n}`,
      `${name} [] and null count as absent`,
      { query, [name]: n === 1 ? [] : null },
      count(5),
    ),
  ),
  ...each([7, [7], {}, true], (value, n) =>
    search(
      `TF04.${n}`,
      `include_domains ${JSON.stringify(value)} is refused`,
      { query, include_domains: value },
      refused('include_domains'),
    ),
  ),
  search(
    'TF05',
    'include_domains is a hard filter',
    { query, include_domains: ['host3.example'], include_domains_mode: 'prefer' },
    served(1, { is: { 'results.*.url': /^http:\/\/host3\.example:/ } }),
  ),
  search(
    'TF06',
    'exclude_domains is a hard filter',
    { query, max_results: 25, exclude_domains: ['host3.example'] },
    served(1, { is: { 'results.*.url': /^(?!http:\/\/host3\.example)/ } }),
  ),
];
