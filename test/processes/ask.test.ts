import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startWeb } from '../fixtures/web.ts';
import { type Served, searchAnswer, serveScripted } from '../harness.ts';
import { runCli } from './run-cli.ts';

const PAGE = `# Tern\n\n## Breeding\n\nThe Arctic tern incubates its eggs for 22 to 27 days, and both parents take turns.\n\n## Diet\n\nTerns eat small fish and crustaceans, which they catch by diving.\n`;
const LINK = 'https://example.org/b#:~:text=Both%20parents';

describe('sanderling ask', () => {
  let folder: string;
  let served: Served;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-ask-'));
    mkdirSync(join(folder, 'pages'));
    writeFileSync(join(folder, 'pages/tern.md'), PAGE);
    const imported = await runCli(folder, ['import', 'pages', '--base-url', 'https://birds.example/']);
    assert.equal(imported.code, 0, imported.err);
    const answer = {
      text: 'Both parents take turns.',
      url: 'https://example.org/b',
      title: 'B',
      headingPath: ['Terns', 'Breeding'],
      start: 0,
      end: 24,
      score: 0.9,
      contentHash: 'x',
      link: LINK,
    };
    served = await serveScripted({
      search: async ({ query }) => searchAnswer(query.startsWith('who') ? { answer } : { answer: null }),
    });
  });
  after(async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('quotes the local index, with the link to the passage', async () => {
    const { code, out, err } = await runCli(folder, [
      'ask',
      'How long does the Arctic tern incubate its eggs?',
    ]);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^The Arctic tern incubates its eggs for 22 to 27 days/);
    assert.match(out, /^— .*Breeding\nhttps:\/\/birds\.example\/tern\.md#:~:text=/m);
    assert.match(out, /\n\n1\. Tern\n {3}https:\/\/birds\.example\/tern\.md\n$/);
  });

  test('says so where nothing is found', async () => {
    const { code, out } = await runCli(folder, ['ask', 'What', 'is', 'a', 'zygomorphic', 'quasar?']);
    assert.deepEqual([code, out], [1, 'Nothing was found.\n']);
  });

  test('asks a running server', async () => {
    const { code, out } = await runCli(folder, ['ask', '--url', `${served.address}/`, 'who incubates?']);
    assert.equal(code, 0);
    assert.equal(
      out,
      `Both parents take turns.\n\n— Terns › Breeding\n${LINK}\n\n1. B\n   https://example.org/b\n2. A\n   https://example.org/a\n`,
    );
    const none = await runCli(folder, ['ask', '--url', served.address, 'when?']);
    assert.equal(none.code, 1);
    assert.match(none.out, /^No passage of these pages answers the question\.\n\n1\. A\n/);
  });

  test('a server that cannot be reached or refuses is said in a line', async () => {
    const gone = await startWeb({});
    await gone.close();
    const { code, err } = await runCli(folder, ['ask', '--url', gone.origin, 'who?']);
    assert.equal(code, 1);
    assert.match(err, /^fetch_failed: .*\n$/);
    const refused = await runCli(folder, ['ask', '--url', `${served.address}/nothing`, 'who?']);
    assert.match(refused.err, /answered 404/);
  });
});
