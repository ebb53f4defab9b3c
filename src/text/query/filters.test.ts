import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import type { Candidate } from '../../recall/recall.ts';
import { createPageFilter, parseDomainFilter } from './filters.ts';

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
    ['www.com', 'www.com'],
    ['www.nhs.uk', 'nhs.uk'],
    ['example.com.', 'example.com'],
    ['.example.com', 'example.com'],
    ['user:pass@example.com:8080', 'example.com'],
    ['https://user@example.com:/a', 'example.com/a'],
    ['ＥＸＡＭＰＬＥ.com', 'example.com'],
    ['EXAMPLE.com/%64ocs//a/', 'example.com/docs/a'],
    ['example.com/ä', 'example.com/%C3%A4'],
    ['example.com/a/../b', 'example.com/b'],
    ['[2001:DB8::1]:8080', '[2001:db8::1]'],
    ['exa mple.com', null],
    ['...', null],
    ['*.', null],
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

/** CPU time far beyond that of a slow machine, and far below what backtracking over so much text would take. */
const BACKTRACKING_MS = 4_000;

test('a megabyte of dots, slashes or question marks costs nothing', () => {
  const ms = cpuMsOf(() => {
    for (const char of ['.', '/', '?', '#', '@', '*.', 'www.', '%41', ':'])
      for (const text of [char.repeat(500_000), `a${char.repeat(4_000)}\na`, `${char.repeat(3_999)}a`])
        for (let entry = 0; entry < 20; entry += 1) parseDomainFilter(text);
  });
  assert.ok(ms < BACKTRACKING_MS, `${ms} ms`);
});

describe('createPageFilter', () => {
  const passes = (
    filters: Partial<Parameters<typeof createPageFilter>[0]>,
    url: string,
    day: string | null = null,
  ): boolean => createPageFilter({ ...none, ...filters })(candidate(url, day));

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

/** The filter in its simplest form: labels from the right, segments from the left. */
describe('whatever is asked, nothing passes that should not', () => {
  const label = fc.constantFrom('a', 'b', 'nhs', 'uk', 'com', 'www', 'xn--bcher-kva', 'example', 'm', '1');
  const labels = fc.array(label, { minLength: 1, maxLength: 4 });
  const segments = fc.array(fc.constantFrom('docs', 'docs2', 'a', 'B', '%C3%A4', 'x.html'), { maxLength: 3 });
  const day = fc.constantFrom('2023-12-31', '2024-01-01', '2024-02-29', '2024-12-31', '2025-01-01');
  const filter = fc.record({ labels, segments });
  const page = fc.record({ labels, segments, day: fc.option(day) });
  const spelled = fc.record({
    scheme: fc.constantFrom('', 'https://', 'HTTP://'),
    user: fc.constantFrom('', '', 'u:p@'),
    port: fc.constantFrom('', ':8080'),
    dot: fc.constantFrom('', '.'),
    slash: fc.constantFrom('', '/'),
    isUpper: fc.boolean(),
  });
  type Place = { labels: string[]; segments: string[] };
  type Spelling = {
    scheme: string;
    user: string;
    port: string;
    dot: string;
    slash: string;
    isUpper: boolean;
  };

  /** `www.` before a name of two or more labels is ignored. */
  const withoutWww = (names: string[]): string[] =>
    names[0] === 'www' && names.length > 2 ? withoutWww(names.slice(1)) : names;
  const lies = (inside: Place, under: Place): boolean => {
    const wanted = withoutWww(under.labels).toReversed();
    const has = inside.labels.toReversed();
    return (
      wanted.every((one, place) => has[place] === one) &&
      under.segments.every((one, place) => inside.segments[place] === one)
    );
  };
  const write = (place: Place, spelling: Spelling): string => {
    const host = spelling.isUpper ? place.labels.join('.').toUpperCase() : place.labels.join('.');
    const path = place.segments.map((segment) => `/${segment}`).join('') + spelling.slash;
    return `${spelling.scheme}${spelling.user}${host}${spelling.dot}${spelling.port}${path}`;
  };
  /** A last label of digits would make it an IP address, which has other rules. */
  const isName = ({ labels: names }: Place): boolean => names.at(-1) !== '1';

  test('100,000 cases', () => {
    let cases = 0;
    let passed = 0;
    const lists = fc.array(fc.tuple(filter.filter(isName), spelled), { maxLength: 3 });
    fc.assert(
      fc.property(
        lists,
        lists,
        fc.option(day),
        fc.option(day),
        fc.array(fc.tuple(page.filter(isName), spelled), { minLength: 10, maxLength: 10 }),
        (include, exclude, publishedFrom, publishedTo, pages) => {
          const judge = createPageFilter({
            includeDomains: include.map(([place, spelling]) => write(place, spelling)),
            excludeDomains: exclude.map(([place, spelling]) => write(place, spelling)),
            publishedFrom,
            publishedTo,
          });
          for (const [one, spelling] of pages) {
            const url = write(one, { ...spelling, scheme: spelling.scheme || 'http://' });
            const expected =
              (include.length === 0 || include.some(([place]) => lies(one, place))) &&
              !exclude.some(([place]) => lies(one, place)) &&
              (publishedFrom === null || (one.day !== null && one.day >= publishedFrom)) &&
              (publishedTo === null || (one.day !== null && one.day <= publishedTo));
            cases += 1;
            if (expected) passed += 1;
            assert.equal(judge(candidate(url, one.day)), expected, url);
          }
        },
      ),
      { numRuns: 10_000 },
    );
    assert.equal(cases, 100_000);
    assert.ok(passed > 5_000 && passed < 95_000, `${passed} passed: the cases are one-sided`);
  });
});
