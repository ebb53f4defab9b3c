import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createBilling } from '../../src/app/compose-billing.ts';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { freePort } from '../fixtures/redis.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { startServer, workersOf } from './server-process.ts';

const CALLERS = 6;
const CREDITS = 100_000;
const database = await createTestDatabase();
after(() => database?.drop());

/** What callers saw: whole answers, honest refusals, and connections that nobody took or that broke. */
type Seen = { answered: number; refused: number; unconnected: number; faults: string[] };

/** Callers with one key, each of whom reads one page after another, new ones and some that are at hand, until told to stop. */
function callOn(address: string, { web, key }: { web: FakeWeb; key: string }) {
  const seen: Seen = { answered: 0, refused: 0, unconnected: 0, faults: [] };
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  let isOver = false;
  let number = 0;
  const caller = async (): Promise<void> => {
    while (!isOver) {
      number += 1;
      const page = number % 3 === 0 ? 0 : number;
      await read(
        `${address}/r/${web.origin}/p/${page}`,
        { agent, key, words: `Page ${page} of the beach` },
        seen,
      );
    }
  };
  const calling = Promise.all(Array.from({ length: CALLERS }, caller));
  return {
    seen,
    async until(isEnough: () => boolean): Promise<void> {
      while (!isEnough()) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    async end(): Promise<Seen> {
      isOver = true;
      await calling;
      agent.destroy();
      return seen;
    },
  };
}

function read(
  url: string,
  { agent, key, words }: { agent: Agent; key: string; words: string },
  seen: Seen,
): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` };
    let hasBegun = false;
    request(url, { agent, headers }, (response) => {
      hasBegun = true;
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('close', () => {
        if (response.statusCode === 200 && response.complete && text.includes(words)) seen.answered += 1;
        else if (response.statusCode === 503 && response.complete) seen.refused += 1;
        else seen.faults.push(`${response.statusCode} complete: ${response.complete} ${text.slice(0, 80)}`);
        resolve();
      });
    })
      .on('error', (error: NodeJS.ErrnoException) => {
        if (hasBegun) return;
        seen.unconnected += 1;
        if (!['ECONNREFUSED', 'ECONNRESET'].includes(error.code ?? '')) seen.faults.push(String(error));
        setTimeout(resolve, 50);
      })
      .end();
  });
}

describe('a server that is restarted while priced calls come in', {
  skip: database === null ? noServer : false,
}, () => {
  test('gives whole answers and charges for each once, through SIGHUP and to the end at SIGTERM', {
    timeout: 180_000,
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sanderling-restart-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const web = await startWeb({
      address: '127.10.0.11',
      fallback: ({ url = '' }, response) =>
        void response
          .setHeader('content-type', 'text/html')
          .end(
            `<title>Page</title><main><p>Page ${url.split('/').at(-1)} of the beach, and what runs on it.</p></main>`,
          ),
    });
    t.after(web.close);
    const place = { dataDir: folder, databaseUrl: database?.url ?? null };
    const billing = await createBilling(place, { log: createLog('silent') });
    t.after(billing.close);
    const { apiKey, keyId } = await billing.keys.create({ credits: CREDITS, label: null });
    const taken = async (): Promise<number> => CREDITS - (await billing.ledger.available(keyId));
    const settings = {
      DATABASE_URL: place.databaseUrl ?? '',
      APP_SECRET: 'a secret of all workers of this test',
      LOG_LEVEL: 'fatal',
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
      PORT: String(await freePort()),
    };
    const server = await startServer(t, folder, settings, ['--workers', '2']);

    const calls = callOn(server.address, { web, key: apiKey });
    await calls.until(() => calls.seen.answered >= 20);
    await calls.until(() => workersOf(server).length === 2);
    const before = workersOf(server);
    process.kill(server.pid, 'SIGHUP');
    await calls.until(() => {
      const now = workersOf(server);
      return now.length === 2 && !now.some((pid) => before.includes(pid));
    });
    const atReplaced = calls.seen.answered;
    await calls.until(() => calls.seen.answered >= atReplaced + 20);
    assert.equal(calls.seen.unconnected, 0, 'no call broke while workers were replaced');

    const ending = server.end();
    await ending;
    const { answered, refused, unconnected, faults } = await calls.end();
    assert.deepEqual(faults, []);
    assert.equal(await taken(), answered, 'one credit for each whole answer');
    assert.deepEqual(await createAudit(billing)(), []);
    t.diagnostic(`${answered} answers, ${refused} refused, ${unconnected} found no server after its end`);
  });
});
