import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { DROPPED, startDns } from '../fixtures/dns-server.ts';
import { programPath } from '../fixtures/program.ts';

/** Above the search's own time limit: nobody hangs. */
const ANSWER_MS_MAX = 12_000;

/** The server process over an empty folder. */
function start(
  t: TestContext,
  settings: Record<string, string>,
): ChildProcessByStdio<null, Readable, Readable> {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-start-'));
  const child = spawn(process.execPath, [programPath(), 'serve'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      LOG_LEVEL: 'silent',
      // Nobody outside is asked.
      RECALL: 'index',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  return child;
}

describe('settings that cannot be used', () => {
  test('are named one a line, and the process ends with 1', async (t) => {
    const child = start(t, { PORT: 'many', LOG_LEVEL: 'loud' });
    const exited = once(child, 'exit');
    const said = (await text(child.stderr)).trim().split('\n');
    assert.equal(said.length, 2);
    assert.match(said[0] ?? '', /^Setting PORT: must be /);
    assert.match(said[1] ?? '', /^Setting LOG_LEVEL: /);
    assert.deepEqual(await exited, [1, null]);
  });

  test('a port that is taken', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    t.after(() => other.close());
    const address = other.address();
    assert.ok(address !== null && typeof address === 'object');
    const child = start(t, { PORT: String(address.port) });
    const exited = once(child, 'exit');
    assert.match(await text(child.stderr), /^Setting PORT: \S+ is in use by another process; .*\n$/);
    assert.deepEqual(await exited, [1, null]);
  });
});

test('a first start says where it serves and how to fill the index; SIGTERM ends it with 0', async (t) => {
  const child = start(t, {});
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const address = /^Sanderling serves on (http:\S+)$/.exec((await lines.next()).value ?? '')?.[1] ?? '';
  assert.equal((await fetch(`${address}/readyz`)).status, 200);
  const found = await fetch(`${address}/v1/search`, { method: 'POST', body: '{"query":"wading birds"}' });
  assert.equal(found.status, 200);
  assert.deepEqual(((await found.json()) as { results: unknown[] }).results, []);
  assert.match((await lines.next()).value ?? '', /index is empty/);
  assert.match((await lines.next()).value ?? '', /npm run sanderling -- crawl https:/);
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});

test('a first start behind a network that drops everything says so and answers a search in time', async (t) => {
  const dns = await startDns(DROPPED);
  t.after(() => dns.close());
  const child = start(t, { RECALL: '', DNS_SERVERS: dns.address });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const address = /^Sanderling serves on (http:\S+)$/.exec((await lines.next()).value ?? '')?.[1] ?? '';
  assert.match(
    (await lines.next()).value ?? '',
    /index is empty, so searches rely on other sources \(wikipedia, /,
  );
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const answer = await fetch(`${address}/v1/search`, { method: 'POST', body: '{"query":"waders"}', signal });
  assert.equal(answer.status, 503);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  const { error, message } = (await answer.json()) as { error: string; message: string };
  assert.equal(error, 'recall_unavailable');
  assert.match(message, /local index holds no pages yet/);
});
