import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compilePattern, type UrlPattern } from '../frontier/url-pattern.ts';
import { createSiteRules, type SiteFilters } from './site-rules.ts';

const START = 'https://www.example.com/docs/';
const INSIDE = { inside: true, wanted: true };
const LEADS_ON = { inside: true, wanted: false };
const OUTSIDE = { inside: false, wanted: true };

type Texts = Partial<Record<Exclude<keyof SiteFilters, 'allowExternal'>, string[]>> & {
  allowExternal?: boolean;
};

function judge(url: string, { allowExternal = true, ...texts }: Texts = {}) {
  const patterns = (list: string[] = []): UrlPattern[] =>
    list.map((text) => {
      const compiled = compilePattern(text);
      assert.ok('isIn' in compiled);
      return compiled;
    });
  return createSiteRules(START, {
    selectPaths: patterns(texts.selectPaths),
    excludePaths: patterns(texts.excludePaths),
    selectDomains: patterns(texts.selectDomains),
    excludeDomains: patterns(texts.excludeDomains),
    allowExternal,
  }).judge(url);
}

describe('without patterns', () => {
  test('the host is the site, with and without www', () => {
    assert.deepEqual(judge('https://www.example.com/a'), INSIDE);
    assert.deepEqual(judge('http://example.com/a'), INSIDE);
  });
  test('other hosts are at most listed', () => {
    assert.deepEqual(judge('https://other.org/'), OUTSIDE);
    assert.deepEqual(judge('https://docs.example.com/'), OUTSIDE);
    assert.equal(judge('https://other.org/', { allowExternal: false }), null);
  });
});

describe('patterns of paths', () => {
  test('pages that are not selected may lead to others, on the site only', () => {
    const selectPaths = ['^/docs/'];
    assert.deepEqual(judge('https://example.com/docs/a', { selectPaths }), INSIDE);
    assert.deepEqual(judge('https://example.com/blog/a', { selectPaths }), LEADS_ON);
    assert.equal(judge('https://other.org/blog/a', { selectPaths }), null);
    assert.deepEqual(judge('https://other.org/docs/a', { selectPaths }), OUTSIDE);
  });
  test('excluded pages are ignored, even if selected', () => {
    const both = { selectPaths: ['/docs/'], excludePaths: ['/docs/old/'] };
    assert.equal(judge('https://example.com/docs/old/a', both), null);
    assert.deepEqual(judge('https://example.com/docs/a', both), INSIDE);
  });
  test('a path matches both as written in the address and decoded', () => {
    const url = 'https://example.com/caf%C3%A9/';
    assert.deepEqual(judge(url, { selectPaths: ['/café/'] }), INSIDE);
    assert.deepEqual(judge(url, { selectPaths: ['/caf%C3%A9/'] }), INSIDE);
    assert.equal(judge(url, { excludePaths: ['é'] }), null);
    assert.deepEqual(judge('https://example.com/%E0%A4%A', { excludePaths: ['é'] }), INSIDE);
  });
});

describe('patterns of domains', () => {
  test('a host of the same domain that is selected belongs to the site', () => {
    const selectDomains = ['^docs\\.example\\.com$'];
    assert.deepEqual(judge('https://docs.example.com/', { selectDomains }), INSIDE);
    assert.deepEqual(judge('https://www.example.com/', { selectDomains }), LEADS_ON);
    assert.equal(judge('https://blog.example.com/', { selectDomains }), null);
  });
  test('a host of another domain that is selected stays outside', () => {
    const selectDomains = ['other\\.org$'];
    assert.deepEqual(judge('https://other.org/', { selectDomains }), OUTSIDE);
    assert.equal(judge('https://other.org/', { selectDomains, allowExternal: false }), null);
  });
  test('an excluded host is ignored', () => {
    assert.equal(judge('https://www.example.com/', { excludeDomains: ['^www\\.'] }), null);
    assert.equal(judge('https://other.org/', { excludeDomains: ['other'] }), null);
  });
});
