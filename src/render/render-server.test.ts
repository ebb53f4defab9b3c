import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createLog } from '../platform/log.ts';
import { createRenderServer } from './render-server.ts';

const TOKEN = 'a token of this test';

async function served(t: TestContext): Promise<(path: string, token: string) => Promise<number>> {
  const { server } = createRenderServer({
    renderer: {
      render: () => assert.fail('nothing is rendered'),
      state: () => ({ pages: 0, restarts: 0, memoryMb: 0, running: 0, waiting: 0 }),
    },
    token: TOKEN,
    about: { browser: 'Chromium 1', sandbox: true },
    log: createLog('silent'),
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return async (path, token) => {
    const asked = request({ port, path, agent: false, headers: { authorization: `Bearer ${token}` } }).end();
    const [response] = await once(asked, 'response');
    response.resume();
    return response.statusCode;
  };
}

test('nobody without the token learns anything, whatever the address', async (t) => {
  const statusOf = await served(t);
  for (const path of ['/healthz', '/render', '/x', '//', '//[', '/\\[']) {
    assert.equal(await statusOf(path, 'another token'), 403, path);
    assert.equal(await statusOf(path, ''), 403, path);
  }
});

test('an address that is none is not found', async (t) => {
  const statusOf = await served(t);
  assert.equal(await statusOf('/healthz', TOKEN), 200);
  for (const path of ['/x', '//', '//[']) assert.equal(await statusOf(path, TOKEN), 404, path);
});
