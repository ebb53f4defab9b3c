import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../../src/app/config.ts';
import { Failure } from '../../src/contract/errors.ts';
import { createGuardedFetch, type GuardedNetwork } from '../../src/platform/net/guarded-fetch.ts';
import { createGuardedProxies } from '../../src/platform/net/proxy/guarded-proxy.ts';
import { type RealProxy, startMicrosocks, startSquid, WITHOUT_PROXIES } from '../fixtures/proxies.ts';
import { SECRET, type SecretFixture, startSecretFixture } from '../fixtures/rebinding.ts';

/** The proxies reach the secret, and resolve its names: only the guard stands before them. */
const INNER = '127.0.0.1';
const NAMES = ['inner', 'mixed', 'alias', 'mapped', 'nat64', 'flipping', 'late'].map(
  (name) => `${name}.world`,
);

describe('nothing private is reached through a proxy of the operator', { skip: WITHOUT_PROXIES }, () => {
  let fixture: SecretFixture;
  let squid: RealProxy;
  let socks: RealProxy;
  before(async () => {
    fixture = await startSecretFixture();
    squid = await startSquid({ hosts: Object.fromEntries(NAMES.map((name) => [name, INNER])) });
    socks = await startMicrosocks();
  });
  after(async () => {
    await Promise.all([squid.close(), socks.close()]);
    await fixture.close();
  });

  const configOf = (proxy: string, more: Record<string, string> = {}) => {
    const { egress, dnsServers, fetchAllowPrivate } = readConfig({
      ...fixture.settings,
      EGRESS_PROXY: proxy,
      ...more,
    });
    return { egress, dnsServers, allowPrivate: fetchAllowPrivate };
  };
  const proxies = (): Record<string, string> => ({
    squid: `http://127.0.0.1:${squid.port}`,
    microsocks: `socks5://127.0.0.1:${socks.port}`,
  });

  async function tryAll(network: GuardedNetwork, urls: readonly string[]): Promise<void> {
    for (const url of urls) {
      const code = await readCode(network, url);
      assert.ok(code === null || code === 'url_not_allowed' || code === 'fetch_failed', `${url}: ${code}`);
      assert.equal(fixture.secretHits(), 0, url);
    }
  }

  for (const name of ['squid', 'microsocks'])
    test(`by no host name, literal or redirect: ${name}`, async () => {
      const network = createGuardedFetch(configOf(proxies()[name] ?? ''));
      try {
        await tryAll(network, [...fixture.attempts, ...fixture.attempts, fixture.flipping, fixture.flipping]);
        const asked = [...squid.asked(), ...socks.asked()].join('\n');
        assert.doesNotMatch(asked, /127\.0\.0\.1|\.world/, 'a proxy was asked for the secret');
      } finally {
        await network.close();
      }
    });

  test('a trusted proxy judges names, but addresses and names of this machine are judged here', async () => {
    const network = createGuardedFetch(configOf(proxies().squid ?? '', { EGRESS_PROXY_JUDGES: 'on' }));
    const literals = fixture.attempts.filter((url) => !url.includes('.world'));
    const redirects = fixture.attempts
      .filter((url) => url.includes('/to?') && !/%2F%2F[a-z0-9]+\.world/.test(url))
      .map((url) => url.replace('open.world', '127.10.0.1'));
    try {
      await tryAll(network, [...literals, ...redirects]);
    } finally {
      await network.close();
    }
  });

  test('CONNECT inward: the browser gets no tunnel past the guard', async () => {
    for (const judges of ['on', 'off'])
      for (const proxy of Object.values(proxies())) {
        const guarded = createGuardedProxies(configOf(proxy, { EGRESS_PROXY_JUDGES: judges }));
        const page = await guarded.open({ bytesMax: 1_000_000, requestsMax: 1_000 });
        const port = Number(new URL(page.address).port);
        const names = judges === 'on' ? [] : NAMES.filter((name) => !/flipping|late/.test(name));
        for (const host of [INNER, '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0', '2130706433', ...names]) {
          const target = `${host}:${new URL(fixture.flipping).port}`;
          const tunnel = await talkRaw(port, `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
          assert.match(tunnel, /^HTTP\/1\.1 (?:403|502) /, `${judges} ${target}`);
          const plain = await talkRaw(
            port,
            `GET http://${target}/ HTTP/1.1\r\nhost: ${target}\r\nconnection: close\r\n\r\n`,
          );
          assert.match(plain, /^HTTP\/1\.1 (?:403|502) /, `${judges} ${target}`);
        }
        await page.close();
        guarded.close();
      }
    assert.equal(fixture.secretHits(), 0);
  });
});

async function readCode(network: GuardedNetwork, url: string): Promise<string | null> {
  try {
    const { body } = await network.fetch({ url });
    assert.ok(!Buffer.from(body).includes(SECRET));
    return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.doesNotMatch(error.message, /\d+\.\d+\.\d+\.\d+|::|\[/, 'a failure tells an address');
    return error.code;
  }
}

/** Sends bytes to the browser's proxy and returns the first piece of its answer. */
function talkRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1').on('error', reject);
    socket.once('data', (text: string) => {
      socket.destroy();
      resolve(text);
    });
    socket.write(bytes);
  });
}
