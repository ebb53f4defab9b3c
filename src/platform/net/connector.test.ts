import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { buildConnector } from 'undici';
import { startWeb } from '../../../test/fixtures/web.ts';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import { createAddressPolicy } from './address.ts';
import { createGuardedConnector, type OpenSocket } from './connector.ts';

const strict = createAddressPolicy({ allowPrivate: [], ownAddresses: () => ['93.184.215.99'] });

const target = (hostname: string): buildConnector.Options => ({
  hostname,
  host: hostname,
  protocol: 'http:',
  port: '80',
});

/** Connects to one host with a fake lookup and a fake socket. */
async function connectTo(
  hostname: string,
  fixture: { answers?: string[]; peer?: string; open?: OpenSocket; policy?: typeof strict } = {},
): Promise<{ error: unknown; tried: readonly string[] | null; looked: string[]; destroyed: boolean }> {
  const looked: string[] = [];
  let tried: readonly string[] | null = null;
  let destroyed = false;
  const { connect } = createGuardedConnector({
    policy: fixture.policy ?? strict,
    resolve: async (name) => {
      looked.push(name);
      if (fixture.answers === undefined) throw createFetchFailure('dns', 'no such name');
      return fixture.answers;
    },
    connectMs: 100,
    egress: null,
    open:
      fixture.open ??
      (async (_target, addresses) => {
        tried = addresses;
        const socket = { remoteAddress: fixture.peer ?? addresses[0], destroy: () => (destroyed = true) };
        return Object.assign(new EventEmitter(), socket) as unknown as Socket;
      }),
  });
  const error = await new Promise((resolve) => connect(target(hostname), (...[problem]) => resolve(problem)));
  return { error, tried, looked, destroyed };
}

function assertRefused({ error, tried }: { error: unknown; tried: readonly string[] | null }): void {
  assert.ok(error instanceof Failure, String(error));
  assert.deepEqual([error.code, error.fetch?.reason], ['url_not_allowed', 'not_allowed']);
  assert.equal(tried, null);
}

describe('a host with any address that is not public is refused', () => {
  const bad: Record<string, string[]> = {
    loopback: ['127.0.0.1'],
    'public and private': ['8.8.8.8', '10.0.0.1'],
    'public, and private in IPv6': ['8.8.8.8', 'fd00::1'],
    'mapped loopback': ['::ffff:127.0.0.1'],
    NAT64: ['64:ff9b::7f00:1'],
    'private as the last of many': [...Array.from({ length: 50 }, (_, n) => `8.8.8.${n}`), '10.0.0.1'],
    'this very machine': ['93.184.215.99'],
    'no address but text': ['localhost'],
  };
  for (const [what, answers] of Object.entries(bad))
    test(what, async () => assertRefused(await connectTo('example.com', { answers })));
});

test('an address literal is checked too, and never looked up', async () => {
  for (const host of ['127.0.0.1', '[::1]', '::1', '169.254.169.254']) {
    const outcome = await connectTo(host, { answers: ['8.8.8.8'] });
    assertRefused(outcome);
    assert.deepEqual(outcome.looked, []);
  }
  const outcome = await connectTo('[2606:4700::1111]');
  assert.deepEqual([outcome.error, outcome.tried], [null, ['2606:4700::1111']]);
});

test('the socket connects to the checked addresses, at most eight', async () => {
  const answers = Array.from({ length: 50 }, (_, n) => `8.8.8.${n}`);
  const { error, tried, looked } = await connectTo('example.com', { answers });
  assert.deepEqual([error, tried, looked], [null, answers.slice(0, 8), ['example.com']]);
});

test('a connection to an address that is not permitted is dropped', async () => {
  for (const peer of ['127.0.0.1', '']) {
    const { error, destroyed } = await connectTo('example.com', { answers: ['8.8.8.8'], peer });
    assert.equal((error as Failure).code, 'url_not_allowed');
    assert.ok(destroyed);
  }
});

test('localhost is never looked up at a name server', async () => {
  for (const host of ['localhost', 'a.localhost']) {
    const outcome = await connectTo(host, { answers: ['8.8.8.8'] });
    assertRefused(outcome);
    assert.deepEqual(outcome.looked, []);
  }
  const policy = createAddressPolicy({ allowPrivate: ['127.0.0.0/8'], ownAddresses: () => [] });
  const allowed = await connectTo('localhost', { policy });
  assert.deepEqual([allowed.error, allowed.tried, allowed.looked], [null, ['127.0.0.1'], []]);
});

describe('a failed connection reveals no address', () => {
  const problems: Record<string, [code: string, reason: string]> = {
    refused: ['ECONNREFUSED', 'connect'],
    unreachable: ['ENETUNREACH', 'connect'],
    'too slow': ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    'wrong certificate': ['ERR_TLS_CERT_ALTNAME_INVALID', 'connect'],
    'unknown certificate': ['DEPTH_ZERO_SELF_SIGNED_CERT', 'connect'],
  };
  for (const [what, [code, reason]] of Object.entries(problems))
    test(what, async () => {
      const open: OpenSocket = async () => {
        throw Object.assign(new Error(`connect ${code} 8.8.8.8:80`), { code });
      };
      const { error } = await connectTo('example.com', { answers: ['8.8.8.8'], open });
      assert.ok(error instanceof Failure);
      assert.equal(error.fetch?.reason, reason);
      assert.doesNotMatch(error.message, /8\.8/);
    });
});

test('a real socket connects to the checked addresses in order, whatever the name resolves to', async (t) => {
  const web = await startWeb({ address: '127.10.0.1' });
  t.after(() => web.close());
  const { connect, opened } = createGuardedConnector({
    egress: null,
    policy: createAddressPolicy({ allowPrivate: ['127.10.0.0/16'], ownAddresses: () => [] }),
    resolve: async () => ['127.10.0.77', '127.10.0.1'],
    connectMs: 1_000,
  });
  const socket = await new Promise<Socket>((resolve, reject) => {
    const options = { ...target('no-such-name.test'), host: 'no-such-name.test:80', port: String(web.port) };
    connect(options, (error, opened) => (error === null ? resolve(opened) : reject(error)));
  });
  assert.equal(socket.remoteAddress, '127.10.0.1');
  assert.equal(opened('http://no-such-name.test:80'), 1);
  assert.equal(opened('http://another.test'), undefined);
  socket.destroy();
});
