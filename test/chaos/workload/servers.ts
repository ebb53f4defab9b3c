import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Billing } from '../../../src/app/compose-billing.ts';
import { programPath } from '../../fixtures/program.ts';
import { type Chaos, type Size, withBilling } from './chaos.ts';
import { judge } from './judge.ts';
import { killAgainAndAgain } from './killed-processes.ts';
import { drawKey, type Keys, type Note } from './notes.ts';

const MANY = 50;
const POOR_CREDITS = 30;
const RICH_CREDITS = 10_000_000;
/** How long a slow page takes, and how long its callers wait. */
const SLOW_MS = 300;
const PATIENCE_MS = 100;
const CALL_MS = 10_000;
const RETRY_MS = 50;

/** Calls whole servers over HTTP while they are killed, then checks the ledger. */
export async function chaosOfServers(databaseUrl: string | null, size: Size): Promise<Chaos> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-chaos-'));
  const pages = await startPages();
  const notes: Note[] = [];
  const addresses: (string | null)[] = [];
  const answers: number[] = [];
  const begun = performance.now();
  const settings = {
    DATABASE_URL: databaseUrl ?? '',
    PORT: '0',
    LOG_LEVEL: 'silent',
    FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
  };
  // The servers share one ledger; everything else is in a folder for each.
  const place = { dataDir: join(dataDir, '0'), databaseUrl };
  try {
    const keys = await withBilling(place, createKeys);
    const ended = new AbortController();
    const callers = Array.from({ length: size.processes * size.callers }, (_, caller) =>
      callUntil(ended.signal, () => addresses[caller % size.processes] ?? null, {
        keys,
        pages: pages.address,
        note(written) {
          notes.push(written);
          if (written.kind === 'call')
            answers[caller % size.processes] = (answers[caller % size.processes] ?? 0) + 1;
        },
      }),
    );
    const kills = await killAgainAndAgain({
      ...size,
      answersMax: 15,
      command(number) {
        addresses[number] = null;
        answers[number] = 0;
        return {
          args: [programPath(), 'serve'],
          env: { ...settings, DATA_DIR: join(dataDir, String(number)) },
        };
      },
      done: (number) => answers[number] ?? 0,
      onLine(line, number) {
        const address = /serves on (http:\S+)/.exec(line)?.[1];
        if (address !== undefined) addresses[number] = address;
      },
    });
    ended.abort();
    await Promise.all(callers);
    const seconds = (performance.now() - begun) / 1_000;
    return { ...(await withBilling(place, (billing) => judge(billing, notes))), kills, seconds };
  } finally {
    await pages.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function createKeys({ keys }: Billing): Promise<Keys> {
  const hot = (await keys.create({ credits: RICH_CREDITS, label: 'hot' })).apiKey;
  const many = Array.from({ length: MANY }, (_, place) =>
    keys.create({ credits: place % 5 === 0 ? POOR_CREDITS : RICH_CREDITS, label: null }),
  );
  return { hot, many: (await Promise.all(many)).map(({ apiKey }) => apiKey) };
}

type CallerDeps = { keys: Keys; pages: string; note(written: Note): void };

async function callUntil(
  ended: AbortSignal,
  server: () => string | null,
  fixture: CallerDeps,
): Promise<void> {
  while (!ended.aborted) {
    const address = server();
    if (address === null) {
      await wait(RETRY_MS);
      continue;
    }
    const result = await call(address, fixture).catch(unknown);
    fixture.note(result);
    if (result.kind === 'unknown') await wait(RETRY_MS);
  }
}

/** Makes one call of a random kind. The note says what it was charged, judging by the response alone. */
async function call(address: string, { keys, pages }: CallerDeps): Promise<Note> {
  const headers = { 'x-api-key': drawKey(keys), 'content-type': 'application/json' };
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(address + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_MS),
    });
  const read = (page: string, ms: number): Promise<Response> =>
    fetch(`${address}/r/${pages}/${page}`, { headers, signal: AbortSignal.timeout(ms) });
  const fate = Math.random();
  if (fate < 0.35) return noteOf(await read(`good-${fate}`, CALL_MS));
  if (fate < 0.5) return noteOf(await read('missing', CALL_MS));
  if (fate < 0.6) return noteOf(await read(`slow-${fate}`, PATIENCE_MS));
  if (fate < 0.7) return noteOf(await post('/v1/search', { query: 'words of the page' }));
  if (fate < 0.75) return noteOf(await post('/v1/search', { query: '' }));
  return noteOf(
    await post('/v1/contents', { urls: ['good', 'also-good', 'missing'].map((page) => `${pages}/${page}`) }),
  );
}

async function noteOf(answer: Response): Promise<Note> {
  const body = await answer.text();
  const id = answer.headers.get('x-request-id') ?? '';
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
  const dollars: number | undefined = isJson ? JSON.parse(body).costDollars?.total : undefined;
  const kept = answer.status !== 200 ? 0 : dollars === undefined ? 1 : Math.round(dollars * 1_000);
  return { kind: 'call', id, kept, how: `answered ${answer.status}` };
}

function unknown(error: unknown): Note {
  const hungUp = error instanceof DOMException && error.name === 'TimeoutError';
  return { kind: 'unknown', how: hungUp ? 'hung up' : 'connection lost' };
}

/** Serves pages that load, fail or are slow. */
async function startPages(): Promise<{ address: string; close(): Promise<void> }> {
  const server = createServer(async ({ url = '' }, response) => {
    if (url.startsWith('/slow')) await wait(SLOW_MS);
    response.writeHead(url === '/missing' ? 404 : 200, { 'content-type': 'text/html' });
    response.end(`<title>${url}</title><main><h1>Page</h1><p>${'Words of the page. '.repeat(40)}</p></main>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
