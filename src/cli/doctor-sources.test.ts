import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { ALL_SOURCES } from '../retrieval/recall/sources/all-sources.ts';
import { type SourceLine, sourceLines } from './doctor-sources.ts';

const linesOf = (environment: Record<string, string>): Map<string, SourceLine> =>
  new Map(sourceLines(readConfig(environment)).map((line) => [line.name, line]));

test('a line for every source, on or off, and the reason', () => {
  const lines = linesOf({ GITHUB_API_TOKEN: 'secret-token', WIKIPEDIA_URL: 'https://de.wikipedia.org/' });
  for (const { name } of ALL_SOURCES) assert.ok(lines.has(name), name);
  assert.match(lines.get('wikipedia')?.text ?? '', /^on, needs no key, https:\/\/de\.wikipedia\.org \(/);
  assert.match(lines.get('github')?.text ?? '', /^on, with a key, /);
  assert.match(lines.get('stackexchange')?.text ?? '', /^on, no STACKEXCHANGE_KEY, /);
  assert.deepEqual(lines.get('brave')?.mark, 'off');
  assert.match(lines.get('brave')?.text ?? '', /^BRAVE_API_KEY is not set \(/);
  assert.doesNotMatch(JSON.stringify([...lines]), /secret-token/);
});

test('what should be set is a warning until it is', () => {
  const bare = linesOf({});
  assert.equal(bare.get('contact')?.mark, 'warning');
  assert.equal(bare.get('recall')?.mark, 'warning');
  const told = linesOf({ CONTACT: 'ops@example.org', SEARXNG_URL: 'http://127.0.0.1:8888' });
  assert.deepEqual(told.get('contact'), { name: 'contact', mark: 'ok', text: 'ops@example.org' });
  assert.deepEqual(told.get('recall'), { name: 'recall', mark: 'ok', text: 'the own index and 9 sources' });
  assert.equal(
    linesOf({ BASE_URL: 'https://search.example.org' }).get('contact')?.text,
    'https://search.example.org',
  );
});

test('who wants only the own index is not warned', () => {
  const alone = linesOf({ RECALL: 'index' });
  assert.equal(alone.get('contact')?.mark, 'off');
  assert.equal(alone.get('recall')?.mark, 'ok');
  assert.match(linesOf({ RECALL: 'wikipedia' }).get('recall')?.text ?? '', /^not the own index/);
});
