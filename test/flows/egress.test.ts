import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { readConfig } from '../../src/app/config.ts';
import { createGuardedFetch } from '../../src/platform/net/guarded-fetch.ts';
import { makeCertificate, type TestCertificate } from '../fixtures/certificates.ts';
import { type FakeDns, startDns } from '../fixtures/dns-server.ts';
import { type RealProxy, startMicrosocks, startSquid, WITHOUT_PROXIES } from '../fixtures/proxies.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';

const SITE = '127.10.0.1';
const LOGIN = { user: 'svc', password: 'p@ss:word' };
const SIGNED = `svc:${encodeURIComponent(LOGIN.password)}@`;
const HOSTS = { 'open.world': SITE, 'other.world': SITE };

describe('the ways out of this machine', { skip: WITHOUT_PROXIES }, () => {
  let folder: string;
  let certificate: TestCertificate;
  let dns: FakeDns;
  let web: FakeWeb;
  let secure: Server;
  let seen: Record<string, unknown>[];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'egress-'));
    certificate = await makeCertificate(folder, ['open.world']);
    dns = await startDns({ 'open.world': [SITE], 'other.world': [SITE] });
    seen = [];
    web = await startWeb({
      address: SITE,
      fallback: ({ headers, url }, response) => {
        seen.push({ ...headers, url });
        response.end(`read ${headers.host}${url}`);
      },
    });
    const { cert, key, authorityFile } = certificate;
    const trust = { ca: readFileSync(authorityFile), requestCert: true, rejectUnauthorized: false };
    secure = createServer({ cert, key, ...trust }, (request, response) => {
      const subject = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody';
      response.end(`secure ${request.headers.host} for ${subject}`);
    });
    await new Promise<void>((resolve) => secure.listen(0, SITE, resolve));
  });
  after(async () => {
    await Promise.all([web.close(), dns.close()]);
    secure.closeAllConnections();
    secure.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const secureUrl = (host = 'open.world'): string =>
    `https://${host}:${(secure.address() as AddressInfo).port}/`;

  /** Reads addresses over a network of these settings, and returns what was read, or the reason and message of the failure. */
  async function readAll(settings: Record<string, string>, urls: readonly string[]): Promise<string[]> {
    const { egress, dnsServers, fetchAllowPrivate } = readConfig({
      DNS_SERVERS: dns.address,
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
      ...settings,
    });
    const network = createGuardedFetch({ allowPrivate: fetchAllowPrivate, dnsServers, egress });
    const read: string[] = [];
    try {
      for (const url of urls)
        read.push(
          await network.fetch({ url }).then(
            ({ body }) => Buffer.from(body).toString(),
            ({ fetch, message }) => `${fetch?.reason}: ${message}`,
          ),
        );
    } finally {
      await network.close();
    }
    return read;
  }

  const withProxy = async (
    start: () => Promise<RealProxy>,
    work: (proxy: RealProxy) => Promise<void>,
  ): Promise<void> => {
    const proxy = await start();
    try {
      await work(proxy);
    } finally {
      await proxy.close();
    }
  };
  /** What the proxy was asked, once it has written that many lines. */
  const findAsked = (proxy: RealProxy, count: number): Promise<string[]> =>
    waitFor(() => (proxy.asked().length >= count ? proxy.asked() : null));

  test('an http proxy is asked for the address that was judged, never for a name', () =>
    withProxy(startSquid, async (proxy) => {
      const settings = {
        EGRESS_PROXY: `http://127.0.0.1:${proxy.port}`,
        EGRESS_CA_FILE: certificate.authorityFile,
      };
      assert.deepEqual(await readAll(settings, [`${web.as('open.world')}/a?b=1`, secureUrl()]), [
        `read open.world:${web.port}/a?b=1`,
        `secure open.world:${(secure.address() as AddressInfo).port} for nobody`,
      ]);
      assert.deepEqual(await findAsked(proxy, 2), [
        `CONNECT ${SITE}:${web.port}`,
        `CONNECT ${SITE}:${(secure.address() as AddressInfo).port}`,
      ]);
    }));

  test('a trusted proxy gets names, and requests for http without a tunnel', () =>
    withProxy(
      () =>
        startSquid({
          hosts: { ...HOSTS, 'only.proxy.world': SITE },
          tunnelPorts: [(secure.address() as AddressInfo).port],
        }),
      async (proxy) => {
        const settings = {
          EGRESS_PROXY: `http://127.0.0.1:${proxy.port}`,
          EGRESS_PROXY_JUDGES: 'on',
          EGRESS_CA_FILE: certificate.authorityFile,
        };
        const urls = [`${web.as('only.proxy.world')}/a?b=1`, secureUrl()];
        assert.deepEqual(await readAll(settings, urls), [
          `read only.proxy.world:${web.port}/a?b=1`,
          `secure open.world:${(secure.address() as AddressInfo).port} for nobody`,
        ]);
        assert.deepEqual(await findAsked(proxy, 2), [
          `GET ${web.as('only.proxy.world')}/a?b=1`,
          `CONNECT ${secureUrl().slice(8, -1)}`,
        ]);
        assert.equal(dns.asked('only.proxy.world'), 0);
      },
    ));

  test('a login goes to the proxy and to nobody else', () =>
    withProxy(
      () => startSquid({ login: LOGIN, hosts: HOSTS }),
      async (proxy) => {
        const urls = [`${web.as('open.world')}/login`];
        for (const judges of ['on', 'off']) {
          const at = (login: string) => ({
            EGRESS_PROXY: `http://${login}127.0.0.1:${proxy.port}`,
            EGRESS_PROXY_JUDGES: judges,
          });
          seen.length = 0;
          assert.deepEqual(await readAll(at(SIGNED), urls), [`read open.world:${web.port}/login`]);
          assert.deepEqual(
            Object.keys(seen[0] ?? {}).filter((name) => name.includes('proxy-auth')),
            [],
          );
          seen.length = 0;
          const [refused] = await readAll(at('svc:wrong@'), urls);
          assert.match(refused ?? '', /^connect: the proxy asks for a login/);
          assert.deepEqual(seen, []);
        }
      },
    ));

  test('a redirect from a proxied host to a direct one leaves the login behind', () =>
    withProxy(
      () => startSquid({ login: LOGIN, hosts: HOSTS }),
      async (proxy) => {
        const redirecting = await startWeb({
          address: SITE,
          fallback: (_request, response) =>
            response.writeHead(302, { location: `${web.as('other.world')}/target` }).end(),
        });
        seen.length = 0;
        const settings = {
          EGRESS_PROXY: `http://${SIGNED}127.0.0.1:${proxy.port}`,
          EGRESS_PROXY_JUDGES: 'on',
          NO_PROXY: 'other.world',
        };
        assert.deepEqual(await readAll(settings, [`${redirecting.as('open.world')}/`]), [
          `read other.world:${web.port}/target`,
        ]);
        assert.equal(seen[0]?.['proxy-authorization'], undefined);
        assert.equal(seen[0]?.url, '/target');
        await redirecting.close();
      },
    ));

  test('a proxy that speaks TLS is trusted by the same file', () =>
    withProxy(
      () => startSquid({ certificate }),
      async (proxy) => {
        const settings = { EGRESS_PROXY: `https://127.0.0.1:${proxy.port}` };
        const urls = [`${web.as('open.world')}/`, secureUrl()];
        assert.deepEqual(await readAll({ ...settings, EGRESS_CA_FILE: certificate.authorityFile }, urls), [
          `read open.world:${web.port}/`,
          `secure open.world:${(secure.address() as AddressInfo).port} for nobody`,
        ]);
        const [refused] = await readAll(settings, urls);
        assert.equal(refused, 'connect: no secure connection to the proxy could be made');
      },
    ));

  test('SOCKS 5, with a login and without', async () => {
    for (const login of [undefined, LOGIN])
      await withProxy(
        () => startMicrosocks(login),
        async (proxy) => {
          const at = (signIn: string) => ({
            EGRESS_PROXY: `socks5://${signIn}127.0.0.1:${proxy.port}`,
            EGRESS_CA_FILE: certificate.authorityFile,
          });
          const urls = [`${web.as('open.world')}/socks`, secureUrl()];
          assert.deepEqual(await readAll(at(login === undefined ? '' : SIGNED), urls), [
            `read open.world:${web.port}/socks`,
            `secure open.world:${(secure.address() as AddressInfo).port} for nobody`,
          ]);
          assert.equal((await findAsked(proxy, 2))[0], `${SITE}:${web.port}`);
          if (login === undefined) return;
          const [refused] = await readAll(at('svc:wrong@'), urls);
          assert.match(refused ?? '', /^connect: the proxy asks for a login/);
        },
      );
  });

  test('rules by host come first, then NO_PROXY, then the proxy for all others', () =>
    withProxy(startSquid, (squid) =>
      withProxy(startMicrosocks, async (socks) => {
        const settings = {
          EGRESS_PROXY: `http://127.0.0.1:${squid.port}`,
          NO_PROXY: '.open.world',
          EGRESS_RULES: `other.world=socks5://127.0.0.1:${socks.port}, deep.open.world=http://127.0.0.1:${squid.port}`,
        };
        dns.set('deep.open.world', [SITE]);
        dns.set('near.open.world', [SITE]);
        const urls = ['open', 'other', 'near.open', 'deep.open'].map((name) => `${web.as(`${name}.world`)}/`);
        assert.ok((await readAll(settings, urls)).every((read) => read.startsWith('read ')));
        assert.equal((await findAsked(squid, 2)).length, 2);
        assert.equal((await findAsked(socks, 1)).length, 1);
      }),
    ));

  test('a client certificate goes to its hosts only', async () => {
    const file = join(folder, 'client.pem');
    writeFileSync(file, `${certificate.cert}\n${certificate.key}`);
    const settings = { EGRESS_CA_FILE: certificate.authorityFile };
    const port = (secure.address() as AddressInfo).port;
    assert.deepEqual(
      await readAll({ ...settings, EGRESS_CLIENT_CERTS: `open.world=${file}` }, [secureUrl()]),
      [`secure open.world:${port} for 127.0.0.1`],
    );
    assert.deepEqual(
      await readAll({ ...settings, EGRESS_CLIENT_CERTS: `.open.world=${file}` }, [secureUrl()]),
      [`secure open.world:${port} for nobody`],
    );
  });

  test('a proxy that is away is named, without its address', async () => {
    const [failed] = await readAll({ EGRESS_PROXY: 'http://127.0.0.1:1' }, [`${web.as('open.world')}/`]);
    assert.equal(failed, 'connect: the proxy cannot be reached');
  });
});
