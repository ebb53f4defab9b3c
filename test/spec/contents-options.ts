import {
  between,
  type Case,
  charsFrom,
  each,
  failing,
  missing,
  posting,
  refused,
  served,
  someText,
} from './spec-case.ts';

const contents = posting('/v1/contents');
const url = '{site}/birds';
const urls = [url];
const TEXT = { 'results.*.text': someText };

/** What POST /v1/contents makes of highlights, pruned context and fields that it does not know. */
export const CONTENTS_OPTIONS: Case[] = [
  contents(
    'CH01',
    'highlights true gives highlights and as many scores',
    { urls, highlights: true },
    served(1, {
      is: { 'results.*.highlights.*': charsFrom(400, 700), 'results.*.highlightScores.*': /^[\d.]+$/ },
    }),
  ),
  contents(
    'CH02',
    'highlights false gives none',
    { urls, highlights: false },
    served(1, { is: { 'results.*.highlights': missing, 'results.*.highlightScores': missing } }),
  ),
  contents(
    'CH03',
    'highlights null gives none',
    { urls, highlights: null },
    served(1, { is: { 'results.*.highlights': missing } }),
  ),
  contents(
    'CH04',
    'highlights.query chooses the chunks',
    { urls, highlights: { query: 'How many turnstone were counted?' } },
    served(1, { is: { 'results.0.highlights.0': /turnstone/ } }),
  ),
  contents(
    'CH05',
    'highlights.highlightsPerUrl 1 gives one',
    { urls, highlights: { query: 'dunlin', highlightsPerUrl: 1 } },
    served(1, { is: { 'results.0.highlights.length': 1, 'results.0.highlightScores.length': 1 } }),
  ),
  contents(
    'CH06',
    'highlights.highlights_per_url 2 gives at most two',
    { urls, highlights: { query: 'dunlin', highlights_per_url: 2 } },
    served(1, { is: { 'results.0.highlights.length': between(1, 2) } }),
  ),
  contents(
    'CH07',
    'numSentences is accepted and ignored',
    { urls, highlights: { query: 'dunlin', highlightsPerUrl: 1, numSentences: 1 } },
    served(1, { is: { 'results.0.highlights.*': charsFrom(400, 700) } }),
  ),
  contents(
    'CH08',
    'num_sentences of any type is ignored',
    { urls, highlights: { num_sentences: 'three' } },
    served(1),
  ),
  contents(
    'CH09',
    'highlights.maxCharacters bounds all highlights of a page together',
    { urls, highlights: { maxCharacters: 800 } },
    served(1, { is: { 'results.0.highlights.length': 1 } }),
  ),
  contents('CH10', 'highlights.dynamic is ignored', { urls, highlights: { dynamic: {} } }, served(1)),
  ...each([7, 'yes', [1]], (highlights, n) =>
    contents(
      `CH11.${n}`,
      `highlights ${JSON.stringify(highlights)} is refused`,
      { urls, highlights },
      refused('highlights'),
    ),
  ),
  ...each([0, -1, 1.5], (highlightsPerUrl, n) =>
    contents(
      `CH12.${n}`,
      `highlightsPerUrl ${highlightsPerUrl} is refused`,
      { urls, highlights: { highlightsPerUrl } },
      refused('highlights.highlightsPerUrl'),
    ),
  ),
  contents(
    'CH13',
    'highlights.query of 2,000 characters is taken',
    { urls, highlights: { query: `${'dunlin '.repeat(285)}knots` } },
    served(1),
  ),
  contents(
    'CH14',
    'highlights.query of 2,001 characters is refused',
    { urls, highlights: { query: 'q'.repeat(2_001) } },
    refused('highlights.query'),
  ),
  contents(
    'CH15',
    'highlights.query that is a number is refused',
    { urls, highlights: { query: 7 } },
    refused('highlights.query'),
  ),

  contents(
    'CP01',
    'pruned_context true gives prunedContext',
    { urls, pruned_context: true, highlights: { query: 'turnstone' } },
    served(1, { is: { 'results.0.prunedContext': /turnstone/ } }),
  ),
  contents(
    'CP02',
    'prunedContext is the same field',
    { urls, prunedContext: true, highlights: { query: 'turnstone' } },
    served(1, { is: { 'results.0.prunedContext': /turnstone/ } }),
  ),
  contents(
    'CP03',
    'pruned_context false gives none',
    { urls, pruned_context: false },
    served(1, { is: { 'results.*.prunedContext': missing } }),
  ),
  contents(
    'CP04',
    'pruned_context without a query is served',
    { urls, pruned_context: true },
    served(1, { is: { 'results.*.prunedContext': someText } }),
  ),
  contents(
    'CP05',
    'pruned_context takes an object with a query',
    { urls, pruned_context: { query: 'turnstone' } },
    served(1, { is: { 'results.0.prunedContext': /turnstone/ } }),
  ),
  ...each([7, 'yes'], (value, n) =>
    contents(
      `CP06.${n}`,
      `pruned_context ${JSON.stringify(value)} is refused`,
      { urls, pruned_context: value },
      refused('pruned_context'),
    ),
  ),

  ...each(
    [
      'summary',
      'context',
      'extras',
      'subpages',
      'subpageTarget',
      'filterEmptyResults',
      'snapshotAsOf',
      'customField',
    ],
    (name, n) =>
      contents(
        `CI01.${n}`,
        `${name} is ignored whatever it holds`,
        { urls, [name]: { any: [1, null] } },
        served(1, { is: TEXT }),
      ),
  ),
  ...each(['http://127.0.0.1/', 'http://10.0.0.1/', 'ftp://example.org/'], (value, n) =>
    contents(
      `CI02.${n}`,
      `${value} among good URLs refuses the whole call`,
      { urls: [url, value] },
      failing(400, 'url_not_allowed'),
    ),
  ),
  contents(
    'CI03',
    'the same URL twice is answered twice',
    { urls: [url, url] },
    served(2, { is: { 'statuses.length': 2 } }),
  ),
];
