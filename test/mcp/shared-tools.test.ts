import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { createSharedTools } from '../../src/http/mcp/tool-calls.ts';
import { createSealedValues } from '../../src/platform/store/shared/sealed-values.ts';
import type { SharedStore } from '../../src/platform/store/shared/shared-values.ts';
import { noRedis, openPatientStore, startTestRedis } from '../fixtures/redis.ts';
import { readAnswer, type Served, serveScripted } from '../harness.ts';
import { connect, textOf } from './connect.ts';

const redis = await startTestRedis();
after(() => redis?.close());

describe('tools of two processes', { skip: redis === null ? noRedis : false }, () => {
  let stores: SharedStore[];
  let served: Served[];
  let clients: Client[];
  const text = Array.from({ length: 4_000 }, (_, nth) => `word ${nth}.`).join(' ');
  /** A process whose page is read by `read`; its address. */
  async function start(read: (signal: AbortSignal) => Promise<void>): Promise<string> {
    const store = await openPatientStore(redis?.url ?? '');
    stores.push(store);
    const one = await serveScripted({
      sharedTools: createSharedTools(store, createSealedValues('a secret of both processes')),
      terms: null,
      async read({ signal }) {
        await read(signal);
        return readAnswer({ markdown: text });
      },
    });
    served.push(one);
    return one.address;
  }
  const client = async (address: string): Promise<Client> => {
    const made = await connect(address);
    clients.push(made);
    return made;
  };
  beforeEach(async () => {
    [stores, served, clients] = [[], [], []];
    await redis?.command('FLUSHALL');
  });
  afterEach(async () => {
    for (const each of clients) await each.close();
    for (const { close } of served) await close();
    for (const { close } of stores) await close();
  });

  test('a cursor of one continues the answer in the other, without reading the page again', async () => {
    let reads = 0;
    const note = async (): Promise<void> => {
      reads += 1;
    };
    const [here, there] = [await client(await start(note)), await client(await start(note))];
    const wanted = { url: 'https://e.org/', max_tokens: 1_000 };
    const first = textOf(await here.callTool({ name: 'service_read', arguments: wanted }));
    const cursor = /cursor "([^"]+)"/.exec(first)?.[1] ?? assert.fail(first);
    const isKept = async (): Promise<boolean> => {
      const keys = await redis?.command('KEYS', '*rest:*');
      return Array.isArray(keys) && keys.length > 0;
    };
    for (let look = 0; look < 6_000 && !(await isKept()); look += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const next = textOf(await there.callTool({ name: 'service_read', arguments: { ...wanted, cursor } }));
    assert.match(next, /word \d+\./);
    assert.equal(reads, 1);
  });

  test('a call of one is cancelled through the other', async () => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const here = await start(async (signal) => {
      begun.resolve();
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          ended.resolve();
          reject(signal.reason);
        }),
      );
    });
    const there = await start(async () => {});
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': 'one-session',
    };
    const post = (address: string, message: object): Promise<Response> =>
      fetch(`${address}/mcp`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const params = { name: 'service_read', arguments: { url: 'https://e.org/' } };
    const calling = post(here, { id: 7, method: 'tools/call', params }).catch(() => null);
    await begun.promise;
    await post(there, { method: 'notifications/cancelled', params: { requestId: 7 } });
    await ended.promise;
    await calling;
  });
});
