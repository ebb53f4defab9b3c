import { join } from 'node:path';
import { startDns } from '../../test/fixtures/dns-server.ts';
import { startWeb } from '../../test/fixtures/web.ts';

type Site = { host: string; address: string; folder: string };

/** Manuals of Debian packages, each a host of its own. */
export const MANUALS = {
  'python3.11-doc': {
    host: 'python.sanderling-manuals.org',
    address: '127.10.0.1',
    folder: 'python3.11/html',
  },
  'postgresql-doc-15': {
    host: 'postgresql.sanderling-manuals.org',
    address: '127.10.0.2',
    folder: 'postgresql-doc-15/html',
  },
  'sqlite3-doc': {
    host: 'sqlite.sanderling-manuals.org',
    address: '127.10.0.3',
    folder: 'sqlite3',
  },
  'python-django-doc': {
    host: 'django.sanderling-manuals.org',
    address: '127.10.0.4',
    folder: 'python-django-doc/html',
  },
} satisfies Record<string, Site>;

export type ManualName = keyof typeof MANUALS;

export type ManualsWeb = {
  /** In the order of the names. */
  origins: string[];
  /** The settings by which a Sanderling process reaches them. */
  settings: { DNS_SERVERS: string; FETCH_ALLOW_PRIVATE: string; RECALL: string; LOG_LEVEL: string };
  close(): Promise<void>;
};

/** Serves manuals on loopback under names of its own name server; a fixed port gives them the same addresses in each run. */
export async function startManuals(docs: string, names: ManualName[], port = 0): Promise<ManualsWeb> {
  const sites = names.map((name): Site => MANUALS[name]);
  const dns = await startDns(Object.fromEntries(sites.map(({ host, address }) => [host, [address]])));
  const webs = await Promise.all(
    sites.map(({ address, folder }) => startWeb({ address, port, folder: join(docs, folder) })),
  );
  return {
    origins: sites.map(({ host }, place) => webs[place]?.as(host) ?? ''),
    settings: {
      DNS_SERVERS: dns.address,
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
      RECALL: 'index',
      LOG_LEVEL: 'warn',
    },
    close: async () => {
      await Promise.all([dns.close(), ...webs.map((web) => web.close())]);
    },
  };
}
