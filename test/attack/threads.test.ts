import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startAttacked } from './attacked-service.ts';

/** Lets the service read its own pages. */
const PRIVATE = { FETCH_ALLOW_PRIVATE: '127.0.0.0/8' };
const CALLS = 10;

test('a thread that cannot start gives a 503, and starts once descriptors are free', async (t) => {
  const service = await startAttacked(t, PRIVATE);
  // One connection for all calls, because later there is no descriptor for another.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const send = async (path: string, body: object | null): Promise<{ status: number; text: string }> => {
    const sent = request(service.address + path, { agent, method: body === null ? 'GET' : 'POST' });
    sent.end(body === null ? undefined : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, text: await text(response) };
  };
  const page = `${service.address}/pricing`;
  assert.equal((await send(`/r/${page}`, null)).status, 200);
  const limitTo = (descriptors: number): void =>
    void execFileSync('prlimit', ['--pid', String(service.pid), `--nofile=${descriptors}:`]);
  const verify = { url: page, quotes: ['credits'] };

  limitTo(readdirSync(`/proc/${service.pid}/fd`).length);
  for (let call = 0; call < CALLS; call++) {
    const refused = await send('/v1/verify', verify);
    assert.equal(refused.status, 503, refused.text);
    assert.equal(JSON.parse(refused.text).error, 'overloaded');
  }
  limitTo(1_024);
  const verified = await send('/v1/verify', verify);
  assert.equal(verified.status, 200, verified.text);
  await service.assertUnharmed();
});
