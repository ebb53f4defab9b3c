import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../app/config.ts';
import { ALL_SOURCES } from '../../recall/sources/all-sources.ts';
import { buildSourceLines, type SourceLine } from './doctor-sources.ts';

const linesOf = (environment: Record<string, string>): Map<string, SourceLine> =>
  new Map(buildSourceLines(readConfig(environment)).map((line) => [line.name, line]));

test('every source has a line that says on, or off and why', () => {
  const lines = linesOf({ GITHUB_API_TOKEN: 'secret-token', WIKIPEDIA_URL: 'https://de.wikipedia.org/' });
  for (const { name } of ALL_SOURCES) assert.ok(lines.has(name), name);
  assert.match(lines.get('wikipedia')?.text ?? '', /^on, needs no key, https:\/\/de\.wikipedia\.org \(/);
  assert.match(lines.get('github')?.text ?? '', /^on, with a key, /);
  assert.match(lines.get('stackexchange')?.text ?? '', /^on, no STACKEXCHANGE_KEY, /);
  assert.deepEqual(lines.get('brave')?.mark, 'off');
  assert.match(lines.get('brave')?.text ?? '', /^BRAVE_API_KEY is not set \(/);
  assert.doesNotMatch(JSON.stringify([...lines]), /secret-token/);
});

test('a missing CONTACT and missing web search are warnings', () => {
  const bare = linesOf({});
  assert.equal(bare.get('contact')?.mark, 'warning');
  assert.equal(bare.get('recall')?.mark, 'warning');
  const complete = linesOf({ CONTACT: 'ops@example.org', SEARXNG_URL: 'http://127.0.0.1:8888' });
  assert.deepEqual(complete.get('contact'), { name: 'contact', mark: 'ok', text: 'ops@example.org' });
  assert.deepEqual(complete.get('recall'), {
    name: 'recall',
    mark: 'ok',
    text: 'the local index and 9 sources',
  });
  assert.equal(
    linesOf({ BASE_URL: 'https://search.example.org' }).get('contact')?.text,
    'https://search.example.org',
  );
});

test('RECALL=index gives no warnings', () => {
  const alone = linesOf({ RECALL: 'index' });
  assert.equal(alone.get('contact')?.mark, 'off');
  assert.equal(alone.get('recall')?.mark, 'ok');
  assert.match(linesOf({ RECALL: 'wikipedia' }).get('recall')?.text ?? '', /^no local index/);
});

test('shows the figures of the running server; a paused source is a warning', () => {
  const figures = { p50Ms: 80, p95Ms: 210, successShare: 0.975, quotaLeft: 12 };
  const unseen = { p50Ms: null, p95Ms: null, successShare: null, quotaLeft: null };
  const running = [
    { name: 'wikipedia', breaker: 'closed', calls: 40, ...figures },
    { name: 'hackernews', breaker: 'open', calls: 10, ...unseen, successShare: 0 },
    { name: 'npm', breaker: 'closed', calls: 0, ...unseen },
  ] as const;
  const lines = new Map(
    buildSourceLines(readConfig({}), new Map(running.map((one) => [one.name, one]))).map((line) => [
      line.name,
      line,
    ]),
  );
  const { mark, text } = lines.get('wikipedia') ?? {};
  assert.equal(mark, 'ok');
  assert.match(text ?? '', /; 40 calls, 98 % succeeded, p50 80 ms, p95 210 ms, not paused, quota left 12$/);
  assert.equal(lines.get('hackernews')?.mark, 'warning');
  assert.match(lines.get('hackernews')?.text ?? '', /; 10 calls, 0 % succeeded, paused after failures/);
  assert.match(lines.get('npm')?.text ?? '', /; not asked yet, not paused$/);
  assert.doesNotMatch(lines.get('arxiv')?.text ?? '', /calls|paused/);
});
