import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { QUERY_CHARS_MAX } from '../../src/contract/limits.ts';
import { cpuMsOf } from '../fixtures/cpu-time.ts';
import { slownessOf } from './regex/ambiguity.ts';
import { builtRegexes, type FoundRegex, writtenRegexes } from './regex/collect-regexes.ts';

/** Files whose slow expressions only see short texts: which texts, and their bound. */
const BOUNDED: Record<string, { charsMax: number; text: string }> = {
  'libraries/projects/npm-locks.ts': { charsMax: 500, text: 'a key of a lock file' },
  'libraries/projects/other-locks.ts': { charsMax: 2_000, text: 'a line of a lock file' },
  'libraries/projects/python-locks.ts': { charsMax: 2_000, text: 'a line of a lock file' },
  'libraries/registries/settings/registry-settings.ts': { charsMax: 2_000, text: 'a line of settings' },
  'libraries/sources/rst-markdown.ts': { charsMax: 1_000, text: 'a line' },
  'research/evidence/question-facets.ts': { charsMax: QUERY_CHARS_MAX, text: 'the question' },
  'research/evidence/comparison.ts': { charsMax: 500, text: 'a sentence of the question' },
  'text/query/query-traits.ts': { charsMax: QUERY_CHARS_MAX, text: 'the query' },
  'pages/formats/detect-format.ts': { charsMax: 4_096, text: 'the beginning of the body' },
  'pages/extract/metadata/author.ts': { charsMax: 400, text: 'a byline' },
  'pages/extract/metadata/title.ts': { charsMax: 1_000, text: 'a declared title' },
};
/** Many times the few milliseconds that an expression takes on a bounded text. */
const BOUNDED_CPU_MS_MAX = 300;

const { literals, building } = writtenRegexes();
const built = await builtRegexes(async () => {
  for (const file of building) await import(`../../src/${file}`);
  const { buildWordPattern: wordPattern } = await import('../../src/text/markup/markdown-html.ts');
  wordPattern('how a linear (expression)+ is told from a slow one');
  const [{ createDefinitionMatcher: definesFor }, { readQuery }] = await Promise.all([
    import('../../src/text/prune/score-chunks.ts'),
    import('../../src/text/query/read-query.ts'),
  ]);
  definesFor(readQuery('what is a linear (expression)+'));
});

const isBounded = ({ file }: FoundRegex): boolean => file in BOUNDED;

test('the search finds the expressions of src/', () => {
  assert.ok(literals.length > 800, `${literals.length} literals`);
  assert.deepEqual(
    [...building].filter((file) => !built.some((found) => found.file === file)),
    [],
  );
});

test('every expression of src/ takes linear time', () => {
  const slow = [...literals, ...built]
    .filter((found) => !isBounded(found))
    .flatMap(({ file, regex }) => {
      const slowness = slownessOf(regex);
      return slowness === null
        ? []
        : [`${file}: ${regex} is ${slowness.growth} on ${JSON.stringify(slowness.pump)}`];
    });
  assert.deepEqual(slow, []);
});

test('slow expressions are fast on the longest text they can see', () => {
  for (const [file, { charsMax }] of Object.entries(BOUNDED)) {
    const slow = [...literals, ...built]
      .filter((found) => found.file === file)
      .flatMap(({ regex }) => {
        const slowness = slownessOf(regex);
        return slowness === null ? [] : [{ regex, pump: slowness.pump }];
      });
    assert.notEqual(slow.length, 0, `${file} no longer needs its exception`);
    for (const { regex, pump } of slow) {
      const text = `${pump.repeat(Math.ceil(charsMax / pump.length)).slice(0, charsMax - 1)}\u0000`;
      const ms = cpuMsOf(() => text.replace(regex, ''));
      assert.ok(ms < BOUNDED_CPU_MS_MAX, `${file}: ${regex} takes ${ms} ms on ${charsMax} characters`);
    }
  }
});

describe('the analysis tells slow expressions from linear ones', () => {
  const slow: RegExp[] = [
    /\s+$/,
    /^\s+|\s+$/g,
    /\s*,\s*/,
    /<noscript\b[^>]*>/i,
    /<input\b[^>]*\btype=password/,
    /<svg\b[\s\S]*?<\/svg>/,
    /^a*a*b/,
    /x(?=.*y)/,
    /(?<=\w+)x/,
    /\n+$/m,
    /\d+(?:\.\d+)?%/,
    /a{0,2000}b/,
    /(?:a*x)?/g,
    /\s+$/y,
  ];
  const exponential: RegExp[] = [
    /(?:a+)+b/,
    /(?:a*)*b/,
    /^(?:a|a)*$/,
    /^(?:--?)+(?=x)/,
    /^(?:↩︎?|↩)+$/u,
    /(?:\w+\s?)*$/,
  ];
  const linear: RegExp[] = [
    /a+/g,
    /(?<!\s)\s+$/,
    /(?:(?<!\s)\s+)?x/,
    /<x[^<>]*>/,
    /^(?:a|b)*c/,
    /[^>]*(?:>|$)/,
    /\bfoo\w*bar/,
    /^.*$/gm,
    /a{0,20}b/,
    /\p{L}+(?:['’]\p{L}+)*/gu,
    /^(?: {0,3}> ?)+/,
    /(?<![\d.])\d+(?:\.\d+)*%/,
    /^(.+)\/(.+)$/s,
  ];
  for (const regex of slow) test(`${regex} is slow`, () => assert.notEqual(slownessOf(regex), null));
  for (const regex of exponential)
    test(`${regex} is exponential`, () => assert.equal(slownessOf(regex)?.growth, 'exponential'));
  for (const regex of linear) test(`${regex} is linear`, () => assert.equal(slownessOf(regex), null));
});
