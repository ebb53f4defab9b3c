import { join } from 'node:path';
import { startDns } from '../../test/fixtures/dns-server.ts';
import { startWeb } from '../../test/fixtures/web.ts';

/** The manuals of two Debian packages, each a host of its own. */
export const SITES = {
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
} as const;

export type ManualsWeb = {
  /** In the order of SITES. */
  origins: string[];
  /** The settings by which a Sanderling process reaches them. */
  settings: { DNS_SERVERS: string; FETCH_ALLOW_PRIVATE: string; RECALL: string; LOG_LEVEL: string };
  close(): Promise<void>;
};

/** Serves both manuals on loopback under names of its own name server. */
export async function startManuals(docs: string): Promise<ManualsWeb> {
  const sites = Object.values(SITES);
  const dns = await startDns(Object.fromEntries(sites.map(({ host, address }) => [host, [address]])));
  const webs = await Promise.all(
    sites.map(({ address, folder }) => startWeb({ address, folder: join(docs, folder) })),
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
