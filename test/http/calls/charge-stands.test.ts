import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import { contentsAnswer, searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from './charged-service.ts';

/** More than the buffers of both ends of a connection on loopback hold. */
const TEXT_CHARS = 40_000_000;
const GRANTED = 10;
const ANSWER_URL = 'https://example.org/a';

let fixture: ChargedFixture;
const slowStarted = Promise.withResolvers<void>();
let requestEnded = Promise.withResolvers<void>();
const log = pino({ level: 'info' }, { write: () => requestEnded.resolve() });

before(async () => {
  fixture = await openChargedFixture(null, {
    log,
    search: async ({ signal, query }) => {
      if (query !== 'slow') return searchAnswer();
      slowStarted.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    contents: async () => {
      const page = { id: ANSWER_URL, url: ANSWER_URL, title: 'A', author: null, publishedDay: null };
      return contentsAnswer({ results: [{ ...page, text: 'x'.repeat(TEXT_CHARS) }] });
    },
  });
});
after(() => fixture.close());
beforeEach(() => {
  requestEnded = Promise.withResolvers<void>();
});

test('an answer that is read in part and then refused is charged', async () => {
  const key = await newKey();
  const socket = await sent([post('/v1/contents', { urls: [ANSWER_URL] }, key.apiKey)]);
  let read = 0;
  for await (const chunk of socket) {
    read += chunk.length;
    if (read > TEXT_CHARS * 0.85) break;
  }
  socket.resetAndDestroy();
  assert.deepEqual(await accountAfter(key.keyId), { available: GRANTED - 1, held: 0, entries: 2 });
});

test('an answer of which only the head was read is charged', async () => {
  const key = await newKey();
  const socket = await sent([post('/v1/contents', { urls: [ANSWER_URL] }, key.apiKey)]);
  await once(socket, 'data');
  socket.resetAndDestroy();
  assert.deepEqual(await accountAfter(key.keyId), { available: GRANTED - 1, held: 0, entries: 2 });
});

test('a caller that hangs up while its charge is settled gets the charge back', async (t) => {
  const key = await newKey();
  const beginCharge = fixture.billing.meter.beginCharge.bind(fixture.billing.meter);
  let socket: Socket | null = null;
  t.mock.method(fixture.billing.meter, 'beginCharge', async (...called: Parameters<typeof beginCharge>) => {
    const charge = await beginCharge(...called);
    const settle = async (used: number): Promise<void> => {
      await charge.settle(used);
      socket?.resetAndDestroy();
      await requestEnded.promise;
    };
    return { ...charge, settle };
  });
  socket = await sent([post('/v1/search', { query: 'q' }, key.apiKey)]);
  assert.deepEqual(await accountAfter(key.keyId), { available: GRANTED, held: 0, entries: 3 });
});

test('a request that waits behind another when its connection ends is free', async () => {
  const key = await newKey();
  const socket = await sent([
    post('/v1/search', { query: 'slow' }, key.apiKey),
    post('/v1/search', { query: 'q' }, key.apiKey),
  ]);
  await slowStarted.promise;
  socket.resetAndDestroy();
  assert.deepEqual(await accountAfter(key.keyId), { available: GRANTED, held: 0, entries: 1 });
});

async function newKey(): Promise<{ keyId: string; apiKey: string }> {
  return fixture.billing.keys.create({ credits: GRANTED, label: null });
}

function post(path: string, body: object, apiKey: string): string {
  const json = JSON.stringify(body);
  return [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `X-Api-Key: ${apiKey}`,
    `Content-Length: ${Buffer.byteLength(json)}`,
    '',
    json,
  ].join('\r\n');
}

/** Sends requests one after the other on a connection of their own, without waiting for answers. */
async function sent(requests: string[]): Promise<Socket> {
  const { hostname, port } = new URL(fixture.served.address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(requests.join(''));
  return socket;
}

/** What the key has once its request is over and nothing of it is under way. */
async function accountAfter(keyId: string): Promise<{ available: number; held: number; entries: number }> {
  await requestEnded.promise;
  // A refund is under way by the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  const { db } = fixture.billing.ledgerStore;
  for (;;) {
    await fixture.billing.background.drain();
    const account = await db
      .selectFrom('account')
      .select(['available', 'held'])
      .where('key_id', '=', keyId)
      .executeTakeFirstOrThrow();
    const entries = await db.selectFrom('entry').select('version').where('key_id', '=', keyId).execute();
    if (account.held === 0) return { ...account, entries: entries.length };
    await new Promise((resolve) => setImmediate(resolve));
  }
}
