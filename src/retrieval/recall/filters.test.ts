import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Candidate } from '../page.ts';
import { parseDomainFilter, passFilters } from './filters.ts';

const candidate = (url: string, publishedDay: string | null = null): Candidate => ({
  url,
  title: '',
  snippet: '',
  publishedDay,
  score: 1,
  source: 'index',
});
const none = { includeDomains: [], excludeDomains: [], publishedFrom: null, publishedTo: null };

describe('parseDomainFilter', () => {
  const table: [string, string | null][] = [
    ['example.com', 'example.com'],
    ['https://www.Example.com/', 'example.com'],
    ['*.example.com', 'example.com'],
    ['example.com:8080/docs/', 'example.com/docs'],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['nhs.uk', 'nhs.uk'],
    ['www.com', 'com'],
    ['', null],
    ['/docs', null],
  ];
  for (const [text, wanted] of table) {
    test(`${text} -> ${wanted}`, () => {
      const filter = parseDomainFilter(text);
      assert.equal(filter === null ? null : filter.host + filter.path, wanted);
    });
  }
});

describe('passFilters', () => {
  const passes = (
    filters: Partial<Parameters<typeof passFilters>[0]>,
    url: string,
    day: string | null = null,
  ): boolean => passFilters({ ...none, ...filters })(candidate(url, day));

  test('a domain covers its subdomains and no other name that ends alike', () => {
    assert.ok(passes({ includeDomains: ['example.com'] }, 'https://a.example.com/x'));
    assert.ok(!passes({ includeDomains: ['example.com'] }, 'https://badexample.com/x'));
    assert.ok(!passes({ excludeDomains: ['example.com'] }, 'https://a.example.com/x'));
  });

  test('a path prefix ends on a segment border', () => {
    assert.ok(passes({ includeDomains: ['example.com/docs'] }, 'https://example.com/docs/a'));
    assert.ok(!passes({ includeDomains: ['example.com/docs'] }, 'https://example.com/docs2'));
  });

  test('exclusion wins over inclusion', () => {
    assert.ok(
      !passes(
        { includeDomains: ['example.com'], excludeDomains: ['a.example.com'] },
        'https://a.example.com/',
      ),
    );
  });

  test('both days are inclusive and a page without a date passes no date filter', () => {
    const days = { publishedFrom: '2024-02-01', publishedTo: '2024-02-29' };
    assert.ok(passes(days, 'https://example.com/', '2024-02-01'));
    assert.ok(passes(days, 'https://example.com/', '2024-02-29'));
    assert.ok(!passes(days, 'https://example.com/', '2024-03-01'));
    assert.ok(!passes(days, 'https://example.com/', null));
  });

  test('filters of which none names a host let nothing in', () => {
    assert.ok(!passes({ includeDomains: ['/'] }, 'https://example.com/'));
  });
});
