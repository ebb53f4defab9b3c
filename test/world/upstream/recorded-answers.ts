import type { SourceItem } from '../../../src/retrieval/recall/source.ts';
import type { UpstreamName } from './bodies.ts';

const TIDES = 'https://harbour.example.org/tides/reading';
const READING = 'How to read a tide table';
const MOON = 'Why the moon pulls the sea';
const HEIGHTS = 'A tide table lists the times & heights of high and low water.';
const page = (
  url: string,
  title: string,
  snippet: string,
  publishedDay: string | null = null,
): SourceItem => ({
  url,
  title,
  snippet,
  publishedDay,
});
const MOON_PAGE = page('https://coast.example.net/moon', MOON, 'The moon raises two bulges.');

/** What the recorded answers say, as results. */
export const RECORDED_ANSWERS: Record<UpstreamName, { items: SourceItem[]; quotaLeft?: number }> = {
  searxng: {
    items: [
      page(
        TIDES,
        READING,
        'A tide table lists the times and heights of high and low water for each day.',
        '2024-03-05',
      ),
      page('https://coast.example.net/moon', MOON, ''),
    ],
  },
  brave: { items: [page(TIDES, READING, HEIGHTS, '2024-03-05'), MOON_PAGE] },
  mojeek: { items: [page(TIDES, READING, HEIGHTS, '2024-03-05'), MOON_PAGE] },
  marginalia: {
    items: [
      page(TIDES, READING, 'A tide table lists the times and heights of high and low water.'),
      MOON_PAGE,
    ],
  },
  kagi: { items: [page(TIDES, READING, HEIGHTS, '2024-03-05'), MOON_PAGE], quotaLeft: 730 },
  wikipedia: {
    items: [
      page(
        'https://en.wikipedia.org/wiki/Tide_table',
        'Tide table',
        'A tide table gives the times & heights of high and low water',
      ),
      page(
        "https://en.wikipedia.org/wiki/Earth's_rotation",
        "Earth's rotation",
        'The moon raises two bulges',
      ),
    ],
  },
  wikidata: {
    items: [
      page(
        'https://www.wikidata.org/wiki/Q900001',
        'tide table',
        'list of predicted times and heights of the tide',
      ),
      page('https://www.wikidata.org/wiki/Q900002', 'Tide Tables', ''),
    ],
  },
  stackexchange: {
    items: [
      page(
        'https://stackoverflow.com/questions/9001/read-a-tide-table-into-rows',
        'Read a tide table into rows & columns with the "csv" module',
        'python, csv',
        '2024-03-05',
      ),
      page(
        'https://stackoverflow.com/questions/9003/tide-times',
        'Tide times are off by one hour',
        'date, timezone',
        '2025-10-09',
      ),
    ],
    quotaLeft: 287,
  },
  hackernews: {
    items: [
      page(TIDES, READING, ''),
      page(
        'https://news.ycombinator.com/item?id=70003',
        'Ask HN: Tide tables as data?',
        'I sail on weekends & want tide tables on my desk. What do you use?',
        '2024-04-01',
      ),
    ],
  },
  github: {
    items: [
      page(
        'https://github.com/gull/tide-table',
        'gull/tide-table',
        'Tide tables as plain data',
        '2021-06-01',
      ),
      page('https://github.com/tern/moonpull', 'tern/moonpull', '', '2023-01-15'),
    ],
  },
  npm: {
    items: [
      page('https://www.npmjs.com/package/tide-table', 'tide-table', 'Tide tables as plain data'),
      page('https://www.npmjs.com/package/@tern/moonpull', '@tern/moonpull', ''),
    ],
  },
  crossref: {
    items: [
      page(
        'https://doi.org/10.5555/tide.2020.17',
        'Predicting tide tables from short records',
        'We predict tide tables from thirty days of readings.',
        '2020-05-03',
      ),
      page('http://dx.doi.org/10.5555/moon.1998', 'The moon and the sea', ''),
    ],
  },
  openalex: {
    items: [
      page(
        'https://repository.example.edu/tide-tables',
        'Predicting tide tables from short records',
        'We predict tide tables from thirty days from readings.',
        '2020-05-03',
      ),
      page('https://openalex.org/W9000002', 'The moon and the sea', '', '1998-01-01'),
    ],
  },
  semanticscholar: {
    items: [
      page(
        'https://arxiv.org/abs/2005.00017',
        'Predicting tide tables from short records',
        'We predict tide tables from thirty days of readings.',
        '2020-05-03',
      ),
      page(
        'https://www.semanticscholar.org/paper/0000000000000000000000000000000000000002',
        'The moon and the sea',
        '',
      ),
    ],
  },
  arxiv: {
    items: [
      page(
        'https://arxiv.org/abs/2005.00017v2',
        'Predicting tide tables from short records',
        'We predict tide tables & currents from thirty days of readings, for $h < 2$ m.',
        '2020-05-03',
      ),
      page('https://arxiv.org/abs/hep-th/9901001v1', 'The moon and the sea', 'Two bulges.', '1999-01-01'),
    ],
  },
};
