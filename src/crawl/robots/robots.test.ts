import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import { decodeText } from './host-robots.ts';
import { isAllowed, parseRobots, selectRules } from './robots.ts';

const DATA = join(process.env.EVAL_DATA ?? '../shared/data', 'robots');
const ABSENT = `the data set "robots" is not in ${DATA}; set EVAL_DATA`;

const verdict = (robots: string, agent: string, url: string): boolean =>
  isAllowed(selectRules(parseRobots(robots), agent), url);

describe('which rule decides', () => {
  const cases: [name: string, robots: string, url: string, allowed: boolean][] = [
    ['an empty file', '', 'https://a.org/x', true],
    ['a rule for everyone', 'User-agent: *\nDisallow: /x', 'https://a.org/x/y', false],
    ['an empty Disallow', 'User-agent: *\nDisallow:', 'https://a.org/x', true],
    ['the longest pattern', 'User-agent: *\nDisallow: /\nAllow: /docs/', 'https://a.org/docs/a', true],
    ['Allow in a draw of stars', 'User-agent: *\nDisallow: /a*\nAllow: /a*', 'https://a.org/ab', true],
    [
      'Allow in a draw of a star and none',
      'User-agent: *\nDisallow: /a*b\nAllow: /a/b',
      'https://a.org/a/b',
      true,
    ],
    ['the longer of a star and none', 'User-agent: *\nAllow: /a\nDisallow: /*b', 'https://a.org/ab', false],
    ['Allow in a draw', 'User-agent: *\nDisallow: /a\nAllow: /a', 'https://a.org/a', true],
    [
      'our own group instead',
      'User-agent: *\nDisallow: /\n\nUser-agent: Me\nDisallow: /p',
      'https://a.org/q',
      true,
    ],
    [
      'two groups of ours',
      'User-agent: me\nDisallow: /a\n\nUser-agent: me\nDisallow: /b',
      'https://a.org/b',
      false,
    ],
    ['several names in one group', 'User-agent: other\nUser-agent: me\nDisallow: /', 'https://a.org/', false],
    ['a name that only begins like ours', 'User-agent: mean\nDisallow: /', 'https://a.org/', true],
    ['the query', 'User-agent: *\nDisallow: /*?session=', 'https://a.org/p?session=1', false],
    ['an anchor', 'User-agent: *\nDisallow: /*.pdf$', 'https://a.org/f.pdf', false],
    ['an anchor with more behind it', 'User-agent: *\nDisallow: /*.pdf$', 'https://a.org/f.pdf?x', true],
    ['an anchored pattern that overlaps itself', 'User-agent: *\nDisallow: /ab*b$', 'https://a.org/ab', true],
    ['a needless escape in the rule', 'User-agent: *\nDisallow: /%62', 'https://a.org/b', false],
    ['a needless escape in the address', 'User-agent: *\nDisallow: /b', 'https://a.org/%62', false],
    ['robots.txt itself', 'User-agent: *\nDisallow: /', 'https://a.org/robots.txt', true],
    ['a host without a path', 'User-agent: *\nDisallow: /', 'https://a.org', false],
  ];
  for (const [name, robots, url, allowed] of cases) {
    test(name, () => assert.equal(verdict(robots, 'Me/1.0 (+https://me.org)', url), allowed));
  }
});

test('sitemap lines are outside the groups and do not end them', () => {
  const robots = parseRobots(
    'Sitemap: https://a.org/1.xml\nUser-agent: a\nSitemap: /2.xml\nUser-agent: b\nDisallow: /',
  );
  assert.deepEqual(robots.sitemaps, ['https://a.org/1.xml', '/2.xml']);
  assert.deepEqual(
    robots.groups.map(({ agents }) => agents),
    [['a', 'b']],
  );
});

test('the longest numeric Crawl-delay of our groups counts, in milliseconds', () => {
  const robots = parseRobots(
    'User-agent: me\nCrawl-delay: 1.5\nUser-agent: me\nCrawl-delay: 3\nUser-agent: x\nCrawl-delay: soon',
  );
  assert.equal(selectRules(robots, 'me').crawlDelayMs, 3_000);
  assert.equal(selectRules(robots, 'x').crawlDelayMs, null);
});

test('a pattern full of stars is matched in bounded time', () => {
  const rules = selectRules(parseRobots(`User-agent: *\nDisallow: /${'*a'.repeat(2_000)}$`), 'me');
  let allowed = false;
  const ms = cpuMsOf(() => {
    allowed = isAllowed(rules, `https://a.org/${'a'.repeat(8_000)}b`);
  });
  assert.equal(allowed, true);
  assert.ok(ms < 1_000, `${ms} ms`);
});

test('an address that takes too long to compare with a file of stars is forbidden', () => {
  const stars = Array.from({ length: 5_000 }, (_, place) => `Disallow: *b${place}`);
  for (const lines of [stars, stars.map((line) => line.replace('*', '*%62'))]) {
    const rules = selectRules(parseRobots(['User-agent: *', ...lines].join('\n')), 'me');
    assert.equal(isAllowed(rules, `https://a.org/${'ab'.repeat(95)}`), true, 'of an ordinary length');
    assert.equal(isAllowed(rules, `https://a.org/${'ab'.repeat(1_000)}`), false, 'of 2,000 characters');
  }
});

type Case = {
  id: string;
  google_specific: boolean;
  robots: string;
  agent: string;
  url: string;
  allowed: boolean;
};

test('every case of the conformance set that is not specific to one engine', (t) => {
  if (!existsSync(DATA)) return t.skip(ABSENT);
  const cases = readFileSync(join(DATA, 'google_cases.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case)
    .filter((one) => !one.google_specific);
  const wrong = cases.filter((one) => verdict(one.robots, one.agent, one.url) !== one.allowed);
  assert.equal(cases.length, 72);
  assert.deepEqual(
    wrong.map(({ id }) => id),
    [],
  );
});

test('4,231 real files parse, none slowly', (t) => {
  if (!existsSync(DATA)) return t.skip(ABSENT);
  const lines = gunzipSync(readFileSync(join(DATA, 'real_robots.jsonl.gz')))
    .toString()
    .trim()
    .split('\n');
  let slowest = 0;
  let sitemaps = 0;
  for (const line of lines) {
    const { robots } = JSON.parse(line) as { robots: string };
    const ms = cpuMsOf(() => {
      const parsed = parseRobots(robots);
      isAllowed(selectRules(parsed, 'Sanderling'), 'https://a.org/some/page.html?with=query&and=more');
      sitemaps += parsed.sitemaps.length;
    });
    slowest = Math.max(slowest, ms);
  }
  assert.equal(lines.length, 4_231);
  assert.ok(sitemaps > 2_000, `only ${sitemaps} sitemaps`);
  assert.ok(slowest < 500, `the slowest took ${slowest} ms`);
});

test('files with byte order marks and unusual line ends mean the same as plain ones', (t) => {
  if (!existsSync(DATA)) return t.skip(ABSENT);
  const folder = join(DATA, 'crawler_commons');
  for (const name of readdirSync(folder)) {
    const robots = parseRobots(decodeText(readFileSync(join(folder, name))));
    assert.ok(robots.groups.length > 0, name);
  }
  const [first, ...others] = ['8', '16be', '16le'].map((form) =>
    parseRobots(decodeText(readFileSync(join(folder, `robots-with-utf${form}-bom.txt`)))),
  );
  for (const other of others) assert.deepEqual(other, first);
});
