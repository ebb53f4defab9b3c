import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSiteOperators } from './fields.ts';

const CASES: [text: string, query: string, include?: string[], exclude?: string[]][] = [
  ['how to tie a knot', 'how to tie a knot'],
  ['site:example.org knots', 'knots', ['example.org']],
  ['knots -site:a.org -SITE:b.org', 'knots', [], ['a.org', 'b.org']],
  ['(knots and bends) AND (site:a.org OR site:b.org/docs)', 'knots and bends', ['a.org', 'b.org/docs']],
  ['(knots) AND (site:a.org)', 'knots', ['a.org']],
  ['knots (site:a.org OR site:b.org)', 'knots', ['a.org', 'b.org']],
  ['f(x) (a) site:a.org', 'f(x) (a)', ['a.org']],
  ['this AND that OR other', 'this AND that OR other'],
  // Nothing else to search for, and no domain.
  ['site:example.org', 'site:example.org'],
  ['what is site: for', 'what is site: for'],
  ['website:example.org', 'website:example.org'],
];

for (const [text, query, includeDomains = [], excludeDomains = []] of CASES)
  test(text, () => {
    assert.deepEqual(readSiteOperators(text), { query, includeDomains, excludeDomains });
  });
