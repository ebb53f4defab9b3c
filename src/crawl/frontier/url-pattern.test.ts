import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SITE } from '../../contract/limits.ts';
import { compilePattern, type UrlPattern } from './url-pattern.ts';

function pattern(text: string): UrlPattern {
  const compiled = compilePattern(text);
  assert.ok('isIn' in compiled, JSON.stringify(compiled));
  return compiled;
}

describe('a pattern', () => {
  for (const [text, path, expected] of [
    ['/docs/.*', '/docs/a', true],
    ['/docs/.*', '/v2/docs/a', true],
    ['^/docs/', '/v2/docs/a', false],
    ['\\.html$', '/a.html', true],
    ['\\.html$', '/a.html/b', false],
    ['(?i)/API/', '/api/', true],
    ['^docs\\.example\\.com$', 'docs.example.com', true],
    ['^docs\\.example\\.com$', 'docs-example.com', false],
  ] as const)
    test(`${text} ${expected ? 'matches' : 'does not match'} ${path}`, () =>
      assert.equal(pattern(text).isIn(path), expected));

  test('that would keep a backtracking engine busy for years matches at once', () => {
    for (const text of ['(a+)+$', '(a|a)*$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])
      assert.equal(typeof pattern(text).isIn(`/${'a'.repeat(1_900)}!`), 'boolean');
  });
});

describe('an invalid pattern is reported', () => {
  for (const [text, problem] of [
    ['(', /cannot be read: missing closing \)/],
    ['a**', /cannot be read/],
    ['(?=look)', /cannot be read/],
    ['(a)\\1', /cannot be read/],
    ['x{2000}', /cannot be read/],
    ['(.?){500}a{500}b{400}', /too large/],
    ['x'.repeat(SITE.patterns.charsMax + 1), /more than 200 characters/],
  ] as const)
    test(text.slice(0, 40), () => {
      const compiled = compilePattern(text);
      assert.ok('problem' in compiled);
      assert.match(compiled.problem, problem);
    });
});
