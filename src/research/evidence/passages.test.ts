import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildFacetReports, selectFirstSearches } from '../research.ts';
import { extractPassages, joinPassages } from './page-passages.ts';
import { selectPagesToOpen } from './pages-to-open.ts';
import { findRelatedFacets, hasPageAbout } from './related-facets.ts';
import type { Facet, ResearchPage } from './relevance.ts';

const filler = (topic: string): string =>
  `The ${topic} is told of in this part of the page at some length. `.repeat(7).trim();
const markdown = [
  '# Corvane Lighthouse',
  filler('rock'),
  '## History',
  `The Corvane Lighthouse was designed by Ada Merrick and opened in 1871. ${filler('builders')}`,
  '## Visits',
  filler('boat'),
].join('\n\n');
const page: ResearchPage = {
  url: 'https://example.org/light',
  title: 'Corvane Lighthouse',
  publishedDay: null,
  language: 'en',
  markdown,
  found: { 0: 1 },
};
const facet = (query: string, kind: Facet['kind'] = 'question'): Facet => ({ kind, facet: query, query });

describe('extractPassages', () => {
  test('the passage that answers fits best, and its offsets are right', () => {
    const passages = extractPassages(page, [facet('who designed the Corvane Lighthouse')]);
    const [best] = passages.toSorted((one, other) => (other.fits[0] ?? 0) - (one.fits[0] ?? 0));
    assert.match(best?.quote ?? '', /Ada Merrick/);
    assert.equal(markdown.slice(best?.start, best?.end), best?.quote);
    assert.deepEqual(best?.headingPath, ['Corvane Lighthouse', 'History']);
    assert.match(best?.link ?? '', /^https:\/\/example\.org\/light#:~:text=/);
  });

  test('a page that says too little about a facet has no passage for it', () => {
    assert.deepEqual(
      extractPassages(page, [facet('Zanzigon ferry timetable'), facet('Ada Lovelace', 'name')]),
      [],
    );
  });

  test('a related name is enough; the words it was searched with may be missing', () => {
    const wanted: Facet = {
      kind: 'related',
      facet: 'Ada Merrick',
      query: 'Ada Merrick birthplace parents school',
    };
    assert.equal(extractPassages(page, [wanted]).length, 1);
  });

  test('from a given facet on, joined with earlier passages', () => {
    const facets = [facet('boat'), facet('Ada Merrick', 'name')];
    const later = extractPassages(page, facets, 1);
    assert.ok(later.every(({ fits }) => fits[0] === undefined));
    assert.deepEqual(
      joinPassages(extractPassages(page, facets.slice(0, 1)), later),
      extractPassages(page, facets),
    );
  });
});

test('findRelatedFacets: names near the question, with the words still open', () => {
  const facets = [facet('Where was the designer of the Corvane Lighthouse born?')];
  const passages = extractPassages(page, facets);
  const [first] = findRelatedFacets({ question: facets[0]?.query ?? '', facets, passages, most: 3 });
  const { from, ...named } = first ?? {};
  assert.deepEqual(named, { kind: 'related', facet: 'Ada Merrick', query: 'Ada Merrick born' });
  assert.deepEqual(from?.held, ['design', 'corvan', 'lighthous']);
  assert.ok(hasPageAbout({ kind: 'related', facet: 'Ada Merrick', query: '' }, ['The life of Ada Merrick']));
  assert.ok(
    !hasPageAbout({ kind: 'related', facet: 'Ada Merrick', query: '' }, [
      'Ada Merrick and the lighthouses of her time',
    ]),
  );
});

test('findRelatedFacets: nothing where one passage holds all that is asked', () => {
  const facets = [facet('Who designed the Corvane Lighthouse?')];
  const passages = extractPassages(page, facets);
  assert.deepEqual(findRelatedFacets({ question: facets[0]?.query ?? '', facets, passages, most: 3 }), []);
});

describe('selectPagesToOpen', () => {
  const result = (url: string, score = 0.5) => ({ url, title: '', score, publishedDay: null });

  test('in turn, each page once however it is spelt, with its scores', () => {
    const pages = selectPagesToOpen(
      [
        { facet: 0, results: [result('https://a.org/'), result('https://b.org/'), result('https://c.org/')] },
        { facet: 2, results: [result('https://www.b.org/?utm_source=x', 0.9), result('https://d.org/')] },
      ],
      { opened: new Set(), most: 3 },
    );
    assert.deepEqual(
      pages.map(({ url }) => url),
      ['https://a.org/', 'https://www.b.org/?utm_source=x', 'https://d.org/'],
    );
    assert.deepEqual(pages[1]?.found, { 0: 0.5, 2: 0.9 });
  });

  test('no opened page again, and no site crowds out the others', () => {
    const one = [1, 2, 3, 4, 5].map((place) => result(`https://a.org/${place}`));
    const pages = selectPagesToOpen([{ facet: 0, results: [...one, result('https://b.org/')] }], {
      opened: new Set(['https://a.org/1']),
      most: 4,
    });
    assert.deepEqual(
      pages.map(({ url }) => url),
      ['https://a.org/2', 'https://a.org/3', 'https://a.org/4', 'https://b.org/'],
    );
  });
});

describe('selectFirstSearches', () => {
  const kinds = (given: Facet['kind'][], maxSearches: number): string =>
    selectFirstSearches(
      given.map((kind, place) => facet(String(place), kind)),
      maxSearches,
    )
      .map(({ facet: { kind } }) => kind)
      .join(' ');

  test('clauses before the whole; some searches are kept for follow-ups', () => {
    assert.equal(kinds(['question', 'clause', 'clause', 'name', 'name'], 5), 'clause clause question name');
  });
  test('all parts are searched before any follow-up', () => {
    assert.equal(kinds(['question', 'clause', 'clause', 'clause'], 3), 'clause clause clause');
  });
  test('the whole comes first if there are too few searches for its parts', () => {
    assert.equal(kinds(['question', 'clause', 'clause', 'clause'], 2), 'question clause');
    assert.equal(kinds(['comparison', 'side', 'side'], 1), 'comparison');
  });
});

test('buildFacetReports: what was found, or why nothing was', () => {
  const facets = (['question', 'clause', 'clause', 'clause', 'clause'] as const).map((kind, place) =>
    facet(`${place}`, kind),
  );
  const [passage] = extractPassages(page, [facet('Corvane Lighthouse')]);
  assert.ok(passage !== undefined);
  const { fits: _, ...chosen } = passage;
  const reports = buildFacetReports({
    facets,
    searches: [
      { place: 1, ok: true, results: [1] },
      { place: 2, ok: true, results: [] },
      { place: 3, ok: false, error: 'timeout' },
    ],
    passages: [passage],
    evidence: [{ ...chosen, id: 'e1', facets: [1], score: 1 }],
  });
  assert.deepEqual(
    reports.map(({ found, searches }) => [found.join(), searches]),
    [
      ['e1', 0],
      ['e1', 1],
      ['', 1],
      ['', 1],
      ['', 0],
    ],
  );
  assert.deepEqual(
    reports.map(({ why }) => why?.slice(0, 17) ?? null),
    [null, null, 'Its search found ', 'Its search failed', 'No search of its '],
  );
});
