import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Ended, runCli } from './run-cli.ts';

const PAGES = [
  {
    url: 'https://birds.example.org/knot',
    title: 'The red knot',
    markdown:
      '# Knots\n\nThe red knot winters on mudflats in large flocks.\n\n## Food\n\n- bivalves\n- `snails`',
    publishedDate: '2024-05-06',
    language: 'en',
    site: 'Birds',
    author: 'Ada',
    rawChars: 4_321,
    fetchedAt: '2025-01-02T03:04:05.000Z',
  },
  {
    url: 'https://fische.example.de/',
    markdown: 'Der Hering zieht in Schwärmen durch das Meer.',
    language: 'de',
  },
];

describe('sanderling index', () => {
  const folder = mkdtempSync(join(tmpdir(), 'index-commands-'));
  const other = mkdtempSync(join(tmpdir(), 'index-commands-'));
  before(async () => {
    const path = join(folder, 'pages.jsonl');
    writeFileSync(path, PAGES.map((page) => JSON.stringify(page)).join('\n'));
    assert.equal((await runCli(folder, ['import', path])).code, 0);
  });
  after(() => {
    for (const one of [folder, other]) rmSync(one, { recursive: true, force: true });
  });
  const index = (...args: string[]): Promise<Ended> => runCli(folder, ['index', ...args]);

  test('rank orders hosts, hosts shows how they stand, and neither claims what is not there', async () => {
    const none = await index('hosts');
    assert.deepEqual([none.code, none.out], [1, '']);
    assert.match(none.err, /run sanderling index rank/);
    const ranked = await index('rank');
    assert.equal(ranked.out, '2 hosts of 2 pages, 0 links between their sites, 0 damped.\n');
    const shown = await index('hosts');
    assert.match(shown.out, /authority 0\.00 {2}birds\.example\.org {2}1 page\n/);
    const { ranking, hosts } = JSON.parse((await index('hosts', '--damped', '--json')).out);
    assert.deepEqual([ranking.pages, ranking.dropped.hosts, hosts], [2, 0, []]);
  });

  test('stats --json counts pages, hosts, ages and languages', async () => {
    const { pages, hosts, ages, languages } = JSON.parse((await index('stats', '--json')).out);
    assert.deepEqual([pages, hosts], [2, 2]);
    assert.equal(
      ages.reduce((sum: number, age: { pages: number }) => sum + age.pages, 0),
      2,
    );
    assert.deepEqual(languages.map(({ language }: { language: string }) => language).toSorted(), [
      'de',
      'en',
    ]);
    assert.match((await index('stats')).out, /2 pages of 2 hosts[\s\S]*at most a day +1\n/);
  });

  test('list prints pages, at most as many as asked for; 1 where there is none', async () => {
    const { out, err } = await index('list', '--limit', '1');
    assert.equal(out.trim().split('\n').length, 1);
    assert.match(err, /more pages/);
    assert.match(
      (await index('list', 'example.de')).out,
      /^\d{4}-\d\d-\d\d {2}https:\/\/fische\.example\.de\//,
    );
    assert.equal((await index('list', 'unknown.test')).code, 1);
    const bad = await index('list', 'not a host');
    assert.equal(bad.code, 1);
    assert.match(bad.err, /host: must be a host such as example\.org/);
  });

  test('an export is what import takes back, field by field', async () => {
    const { out } = await index('export');
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(lines[0], PAGES[0]);
    assert.equal(lines[1].url, PAGES[1]?.url);
    const path = join(other, 'export.jsonl');
    writeFileSync(path, out);
    assert.equal((await runCli(other, ['import', path])).code, 0);
    assert.equal((await runCli(other, ['index', 'export'])).out, out);
    assert.equal((await index('export', 'example.de')).out.trim().split('\n').length, 1);
  });

  test('refresh says when no page is due, as for pages imported just now', async () => {
    await index('forget', 'birds.example.org');
    const { code, out } = await index('refresh');
    assert.deepEqual([code, out], [0, 'No page is due.\n']);
  });
});
