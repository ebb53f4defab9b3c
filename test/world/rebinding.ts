import { createGuardedFetch, type GuardedNetwork } from '../../src/platform/net/guarded-fetch.ts';
import { startDns } from './dns-server.ts';
import { startWeb, type WorldWeb } from './web.ts';

/** A world with a secret: `network` may read 127.10.0.0/16, the secret stands on 127.0.0.1 at the same port. */
export type SecretWorld = {
  network: GuardedNetwork;
  /** The settings that make a whole service live in this world. */
  settings: { FETCH_ALLOW_PRIVATE: string; DNS_SERVERS: string };
  /** URLs that try to reach the secret. Each may be asked many times; none may ever get it. */
  attempts: string[];
  /** Answers with the public address first, the secret's second, and so on in turn, each valid for 0 seconds. */
  flipping: string;
  publicHits(): number;
  secretHits(): number;
  close(): Promise<void>;
};

export const SECRET = 'SECRET-OF-THE-INNER-NETWORK';

const PUBLIC = '127.10.0.1';
const INNER = '127.0.0.1';

/** Starts the servers of the world; the public one redirects wherever `/to?URL` says. */
export async function startSecretWorld(): Promise<SecretWorld> {
  const open = await startWeb({
    address: PUBLIC,
    routes: {
      '/': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html', connection: 'close' });
        response.end(
          '<title>Open</title><h1>Open page</h1><p>Anybody may read these words as often as they like.',
        );
      },
      '/to': (request, response) => {
        const target = decodeURIComponent((request.url ?? '').split('?')[1] ?? '');
        response.writeHead(302, { location: target, connection: 'close' }).end();
      },
    },
  });
  const secret = await startWeb({ address: INNER, port: open.port, routes: { '/': `<p>${SECRET}` } });
  const dns = await startDns({
    'open.world': [PUBLIC],
    'inner.world': [INNER],
    'mixed.world': [PUBLIC, INNER],
    'alias.world': { addresses: [INNER], cname: 'inner.world' },
    'mapped.world': [`::ffff:${INNER}`],
    'compatible.world': ['::7f00:1'],
    'nat64.world': ['64:ff9b::7f00:1'],
    'unspecified.world': ['0.0.0.0'],
    'flipping.world': (asked, type) => ({
      addresses: type === 'AAAA' ? [] : [asked % 2 === 1 ? PUBLIC : INNER],
      ttl: 0,
    }),
    'late.world': (asked, type) => ({
      addresses: type === 'AAAA' ? [] : [asked > 1 ? PUBLIC : INNER],
      ttl: 0,
    }),
  });
  const settings = { FETCH_ALLOW_PRIVATE: '127.10.0.0/16', DNS_SERVERS: dns.address };
  const network = createGuardedFetch({
    allowPrivate: [settings.FETCH_ALLOW_PRIVATE],
    dnsServers: [settings.DNS_SERVERS],
  });
  return {
    network,
    settings,
    attempts: attemptsOf(open),
    flipping: `${open.as('flipping.world')}/`,
    publicHits: () => open.hits(),
    secretHits: () => secret.hits(),
    close: async () => {
      await network.close();
      await Promise.all([open.close(), secret.close(), dns.close()]);
    },
  };
}

function attemptsOf(open: WorldWeb): string[] {
  const literals = [INNER, '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0', 'localhost'];
  const names = 'inner mixed alias mapped compatible nat64 unspecified flipping late'.split(' ');
  const hosts = [...literals, ...names.map((name) => `${name}.world`)];
  const direct = hosts.map((host) => `${open.as(host)}/`);
  const through = direct.map((target) => `${open.as('open.world')}/to?${encodeURIComponent(target)}`);
  const schemes = ['file:///etc/passwd', `//${INNER}:${open.port}/`, `http:\\\\${INNER}:${open.port}/`];
  return [
    ...direct,
    ...through,
    ...schemes.map((target) => `${open.as('open.world')}/to?${encodeURIComponent(target)}`),
    `${open.as('flipping.world')}/to?${encodeURIComponent(`${open.as('flipping.world')}/`)}`,
  ];
}
