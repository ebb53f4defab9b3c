import { type Case, each, missing, posting, refused, served, someText, textOrNull } from './spec-case.ts';

const search = posting('/shapeB/search');
const TABLE = 'interface: POST /shapeB/search';
const query = 'survey';
const count = (length: number) => served(1, { is: { 'results.length': length } });
const domains = (length: number): string[] => Array.from({ length }, (_, place) => `host${place}.example`);

/** What POST /shapeB/search takes and refuses, field by field. */
export const SECOND_SHAPE_REQUESTS: Case[] = [
  search('TQ01', 'a query of 1 character is searched', TABLE, { query: 'a' }, served(1)),
  search(
    'TQ02',
    'a query of 2,000 characters is searched',
    TABLE,
    { query: `${'survey '.repeat(285)}knots` },
    served(1),
  ),
  search(
    'TQ03',
    'a query of 2,001 characters is refused',
    TABLE,
    { query: 'q'.repeat(2_001) },
    refused('query'),
  ),
  search('TQ04', 'a missing query is refused', TABLE, {}, refused('query')),
  ...each(['', null, 7, ['q'], {}], (value, n) =>
    search(
      `TQ05.${n}`,
      `query ${JSON.stringify(value)} is refused`,
      TABLE,
      { query: value },
      refused('query'),
    ),
  ),

  search('TN01', 'max_results defaults to 5', TABLE, { query }, count(5)),
  search('TN02', 'max_results 1 gives one result', TABLE, { query, max_results: 1 }, count(1)),
  search('TN03', 'max_results 25 gives 25 results', TABLE, { query, max_results: 25 }, count(25)),
  search('TN04', 'max_results 26 is capped at 25', 'decision 2', { query, max_results: 26 }, count(25)),
  search(
    'TN05',
    'max_results of any size is capped at 25',
    'decision 2',
    { query, max_results: 1e21 },
    count(25),
  ),
  search('TN06', 'max_results 0 gives an empty list', 'decision 2', { query, max_results: 0 }, count(0)),
  search('TN07', 'max_results null gives the default', 'decision 1', { query, max_results: null }, count(5)),
  ...each([-1, 1.5, 'many', [5], {}], (value, n) =>
    search(
      `TN08.${n}`,
      `max_results ${JSON.stringify(value)} is refused`,
      'decision 2',
      { query, max_results: value },
      refused('max_results'),
    ),
  ),

  ...each(['basic', 'advanced', 'fast', 'ultra-fast'], (depth, n) =>
    search(
      `TD01.${n}`,
      `search_depth ${depth} costs 1 credit`,
      'wire 7.3',
      { query, search_depth: depth, max_results: 2 },
      count(2),
    ),
  ),
  search(
    'TD02',
    'search_depth null gives the default',
    'decision 1',
    { query, search_depth: null },
    count(5),
  ),

  search(
    'TR01',
    'raw_content is null unless asked for',
    'interface: Second-shape search response',
    { query, max_results: 2 },
    served(1, { is: { 'results.*.raw_content': null } }),
  ),
  ...each([true, 'markdown', 'text'], (value, n) =>
    search(
      `TR02.${n}`,
      `include_raw_content ${JSON.stringify(value)} gives raw_content`,
      'wire 7.3',
      { query, max_results: 2, include_raw_content: value },
      served(1, { is: { 'results.*.raw_content': someText } }),
    ),
  ),
  ...each([false, null], (value, n) =>
    search(
      `TR03.${n}`,
      `include_raw_content ${value} gives null`,
      TABLE,
      { query, max_results: 2, include_raw_content: value },
      served(1, { is: { 'results.*.raw_content': null } }),
    ),
  ),
  search(
    'TA01',
    'answer is missing unless asked for',
    TABLE,
    { query },
    served(1, { is: { answer: missing } }),
  ),
  ...each([true, 'basic', 'advanced'], (value, n) =>
    search(
      `TA02.${n}`,
      `include_answer ${JSON.stringify(value)} adds answer`,
      'wire 7.3',
      { query: 'What does the sanderling feed on?', max_results: 2, include_answer: value },
      served(1, { is: { answer: textOrNull } }),
    ),
  ),
  ...each([false, null], (value, n) =>
    search(
      `TA03.${n}`,
      `include_answer ${value} adds none`,
      TABLE,
      { query, include_answer: value },
      served(1, { is: { answer: missing } }),
    ),
  ),
  search(
    'TA04',
    'answer is null when nothing is relevant enough',
    'decision 28',
    { query: 'nothing zxqv blorp', include_answer: true },
    served(1, { is: { answer: null } }),
  ),

  ...each(['include_domains', 'exclude_domains'], (name, n) =>
    search(
      `TF01.${n}`,
      `${name} takes 100 entries`,
      'interface: Limits',
      { query, [name]: domains(100) },
      served(1),
    ),
  ),
  ...each(['include_domains', 'exclude_domains'], (name, n) =>
    search(
      `TF02.${n}`,
      `${name} refuses 101 entries`,
      'interface: Limits',
      { query, [name]: domains(101) },
      refused(name),
    ),
  ),
  ...each(['include_domains', 'exclude_domains'], (name, n) =>
    search(
      `TF03.${n}`,
      `${name} [] and null count as absent`,
      'wire 7.3',
      { query, [name]: n === 1 ? [] : null },
      count(5),
    ),
  ),
  ...each([7, [7], {}, true], (value, n) =>
    search(
      `TF04.${n}`,
      `include_domains ${JSON.stringify(value)} is refused`,
      TABLE,
      { query, include_domains: value },
      refused('include_domains'),
    ),
  ),
  search(
    'TF05',
    'include_domains is a hard filter',
    'wire 7.3',
    { query, include_domains: ['host3.example'], include_domains_mode: 'prefer' },
    served(1, { is: { 'results.*.url': /^http:\/\/host3\.example:/ } }),
  ),
  search(
    'TF06',
    'exclude_domains is a hard filter',
    'wire 7.3',
    { query, max_results: 25, exclude_domains: ['host3.example'] },
    served(1, { is: { 'results.*.url': /^(?!http:\/\/host3\.example)/ } }),
  ),
];
