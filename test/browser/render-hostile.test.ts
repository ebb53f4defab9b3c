import assert from 'node:assert/strict';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { hostilePage, ROADS_THAT_WORK, serviceWorkerScript, workerScript } from '../fixtures/hostile-page.ts';
import { startRendering } from '../fixtures/rendering.ts';
import { startWeb } from '../fixtures/web.ts';
import { WITHOUT_BROWSER } from './chromium.ts';

/** A service that counts whoever comes: connections, datagrams, and the paths that were asked for. */
type Service = { origin: string; udp: string; connections: number; datagrams: number; roads: Set<string> };

async function startService(t: TestContext, host: string): Promise<Service> {
  const roads = new Set<string>();
  const server: Server = createServer((request, response) => {
    roads.add((request.url ?? '').slice(1).split('?')[0] ?? '');
    if (request.url === '/download') response.setHeader('content-disposition', 'attachment');
    response.setHeader('content-type', 'text/html').end('<p>internal secret</p>');
  });
  const udp: UdpSocket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const service: Service = { origin: '', udp: '', connections: 0, datagrams: 0, roads };
  server.on('connection', () => {
    service.connections += 1;
  });
  server.on('upgrade', (request, socket) => {
    roads.add((request.url ?? '').slice(1));
    socket.destroy();
  });
  udp.on('message', () => {
    service.datagrams += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  await new Promise<void>((resolve) => udp.bind(0, host, resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
    udp.close();
  });
  const named = host.includes(':') ? `[${host}]` : host;
  service.origin = `http://${named}:${(server.address() as AddressInfo).port}`;
  service.udp = `${named}:${udp.address().port}`;
  return service;
}

/** A site on the network that stands for the public one; `/?u=` is the hostile page, `/to?u=` redirects. */
async function startSite(t: TestContext, target: string, udp: string) {
  const site = await startWeb({
    routes: {
      '/': (_request, response) => {
        const page = hostilePage({ target, own: site.origin, udp });
        response.setHeader('content-type', 'text/html').end(page);
      },
      '/to': (request, response) => {
        const url = new URL(request.url ?? '', 'http://x').searchParams.get('u') ?? '';
        response.writeHead(302, { location: url }).end();
      },
      '/worker.js': (_request, response) => {
        response.setHeader('content-type', 'text/javascript').end(workerScript(target));
      },
      '/service-worker.js': (_request, response) => {
        response.setHeader('content-type', 'text/javascript').end(serviceWorkerScript(target));
      },
    },
  });
  t.after(() => site.close());
  return site;
}

const order = (url: string) => ({ url, timeoutMs: 20_000, waitMs: 1_500, screenshot: 'page' as const });
const never = new AbortController().signal;

describe('a hostile page in the browser', { skip: WITHOUT_BROWSER }, () => {
  test('its roads lead to a service that may be reached', async (t) => {
    const allowed = await startService(t, '127.10.0.2');
    const site = await startSite(t, allowed.origin, allowed.udp);
    const renderer = await startRendering(t);
    const page = await renderer.render(order(`${site.origin}/`), never);
    assert.match(page.html, /Took \d+ roads\./);
    assert.deepEqual(
      ROADS_THAT_WORK.filter((road) => !allowed.roads.has(road)),
      [],
    );
    assert.equal(allowed.datagrams, 0, 'no datagram leaves, whatever its address');
  });

  const targets: Record<string, (service: Service) => string> = {
    'the address of this machine': ({ origin }) => origin,
    'its name': ({ origin }) => origin.replace('127.0.0.1', 'localhost'),
    'a name that was pointed at it': ({ origin }) => origin.replace('127.0.0.1', 'internal.example.com'),
    'a name with a public address beside it': ({ origin }) =>
      origin.replace('127.0.0.1', 'mixed.example.com'),
    'a name that changes its address': ({ origin }) => origin.replace('127.0.0.1', 'rebound.example.com'),
    'an address written otherwise': ({ origin }) => origin.replace('127.0.0.1', '0x7f.1'),
  };
  for (const [what, targetOf] of Object.entries(targets))
    test(`none reaches ${what}`, async (t) => {
      const internal = await startService(t, '127.0.0.1');
      const site = await startSite(t, targetOf(internal), internal.udp);
      let lookups = 0;
      const renderer = await startRendering(t, {
        resolve: async (name) => {
          if (name === 'internal.example.com') return ['127.0.0.1'];
          if (name === 'mixed.example.com') return ['127.10.0.2', '127.0.0.1'];
          lookups += 1;
          return [lookups === 1 ? '127.10.0.99' : '127.0.0.1'];
        },
      });
      const page = await renderer.render(order(`${site.origin}/`), never);
      assert.match(page.html, /Took \d+ roads\./);
      assert.doesNotMatch(page.html, /internal secret|root:/);
      assert.deepEqual(
        { connections: internal.connections, datagrams: internal.datagrams, roads: [...internal.roads] },
        { connections: 0, datagrams: 0, roads: [] },
      );
    });

  test('none reaches this machine over IPv6', async (t) => {
    const internal = await startService(t, '::1');
    const site = await startSite(t, internal.origin, internal.udp);
    const renderer = await startRendering(t);
    await renderer.render(order(`${site.origin}/`), never);
    assert.deepEqual([internal.connections, internal.datagrams], [0, 0]);
  });

  test('the page itself may not be there, nor lead there', async (t) => {
    const internal = await startService(t, '127.0.0.1');
    const site = await startSite(t, internal.origin, internal.udp);
    const renderer = await startRendering(t, { resolve: async () => ['127.0.0.1'] });
    const { port } = new URL(internal.origin);
    const urls = [
      `${internal.origin}/`,
      `http://internal.example.com:${port}/`,
      `https://internal.example.com:${port}/`,
      `${site.origin}/to?u=${encodeURIComponent(internal.origin)}`,
      'file:///etc/passwd',
      'chrome://version',
      `view-source:${site.origin}/`,
    ];
    for (const url of urls)
      await assert.rejects(
        renderer.render({ url, timeoutMs: 10_000 }, never),
        { code: 'url_not_allowed' },
        url,
      );
    assert.equal(internal.connections, 0);
  });
});
