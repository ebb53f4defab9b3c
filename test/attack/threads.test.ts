import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startWeb } from '../fixtures/web.ts';
import { startAttacked } from './attacked-service.ts';

const PRIVATE = { FETCH_ALLOW_PRIVATE: '127.0.0.0/8' };
const CALLS = 10;
/** The first ones, which every process has in use. */
const DESCRIPTORS_IN_USE = 10;

test('a thread that cannot start costs its page alone its highlights, which are named, and starts when it can', async (t) => {
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
  const site = await startWeb({
    address: '127.40.0.5',
    fallback: (_, response) =>
      response.setHeader('content-type', 'text/html').end('<p>Two pages of words.</p>'),
  });
  t.after(() => site.close());
  const urls = ['one', 'two'].map((name) => `${site.origin}/${name}`);
  for (const url of urls) assert.equal((await send(`/r/${url}`, null)).status, 200);
  const limitTo = (descriptors: number): void =>
    void execFileSync('prlimit', ['--pid', String(service.pid), `--nofile=${descriptors}:`]);
  // One thread runs since the start; two pages at once need another.
  const pagesWithout = async (): Promise<number> => {
    const answered = await send('/v1/contents', { urls, highlights: true });
    assert.equal(answered.status, 200, answered.text);
    const { results, service: told } = JSON.parse(answered.text) as {
      results: { url: string; highlights: string[] }[];
      service: { incomplete?: string[]; incompletePages?: { url: string }[] };
    };
    const without = results.filter(({ highlights }) => highlights.length === 0).map(({ url }) => url);
    assert.deepEqual(
      (told.incompletePages ?? []).map(({ url }) => url),
      without,
    );
    assert.deepEqual(told.incomplete ?? [], without.length > 0 ? ['highlights'] : []);
    return without.length;
  };

  limitTo(DESCRIPTORS_IN_USE);
  for (let call = 0; call < CALLS; call++) assert.equal(await pagesWithout(), 1);
  limitTo(1_024);
  assert.equal(await pagesWithout(), 0);
  await service.assertUnharmed();
});
