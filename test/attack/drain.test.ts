import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { type AttackedService, startAttacked } from './attacked-service.ts';

const CLIENTS = 46;
const PAUSE_MS_MAX = 40;
const PAGE_CHARS = 4_000_000;
/** Slow enough to be still reading when the signal comes, fast enough to finish in time. */
const READ_BYTES_PER_PIECE = 262_144;
const READ_EVERY_MS = 50;

test('a shutdown resets no connection and finishes large responses', async (t) => {
  const site = await serveLargePages(t);
  const service = await startAttacked(t, { FETCH_ALLOW_PRIVATE: '127.0.0.0/8', LOG_LEVEL: 'warn' });
  const large = await openLargeAnswer(service, site);
  const clients = Array.from({ length: CLIENTS }, (_, place) => callUntilClosed(service, place));
  await later(500);
  const ended = service.end();
  assert.deepEqual(await Promise.all(clients), Array(CLIENTS).fill('connection: close'));
  const body = JSON.parse(await readSlowly(large));
  assert.ok(body.results[0].text.length > PAGE_CHARS / 2);
  assert.deepEqual(await ended, [0, null], service.log.join('\n'));
});

/** Calls over one keep-alive connection, with pauses, until it is closed. Resolves to the way it was closed. */
async function callUntilClosed({ address }: AttackedService, place: number): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (let calls = 0; ; calls += 1) {
      const call = request(`${address}/${calls % 2 === 0 ? 'openapi.json' : 'healthz'}`, { agent }).end();
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      if (response.headers.connection === 'close') return 'connection: close';
      await later((place * calls * 7) % PAUSE_MS_MAX);
    }
  } catch (error) {
    return String(error);
  } finally {
    agent.destroy();
  }
}

async function serveLargePages(t: TestContext): Promise<string> {
  const paragraph = (nth: number): string =>
    `<p>${`Sentence ${nth} of a long page about the birds of the shore. `.repeat(10)}</p>\n`;
  const paragraphs = Array.from({ length: PAGE_CHARS / paragraph(0).length }, (_, nth) => paragraph(nth));
  const page = `<title>Large</title><main><h1>Large</h1>${paragraphs.join('')}</main>`;
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(page);
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openLargeAnswer({ address }: AttackedService, site: string): Promise<IncomingMessage> {
  const call = request(`${address}/v1/contents`, { method: 'POST' });
  call.end(JSON.stringify({ urls: [`${site}/a`, `${site}/b`, `${site}/c`] }));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  return response.pause();
}

async function readSlowly(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let sincePause = 0;
  for await (const piece of response) {
    pieces.push(piece as Buffer);
    sincePause += (piece as Buffer).length;
    if (sincePause > READ_BYTES_PER_PIECE) {
      sincePause = 0;
      await later(READ_EVERY_MS);
    }
  }
  return Buffer.concat(pieces).toString();
}
