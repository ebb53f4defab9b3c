import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDns } from '../../test/fixtures/dns-server.ts';
import { startWeb } from '../../test/fixtures/web.ts';
import { crawlWithCli } from './processes.ts';

/** `start`: the page at which a crawl begins. */
type Site = { host: string; address: string; folder: string; start?: string };

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
    start: 'docs.html',
  },
  'python-django-doc': {
    host: 'django.sanderling-manuals.org',
    address: '127.10.0.4',
    folder: 'python-django-doc/html',
  },
} satisfies Record<string, Site>;

const PAGES_MAX = 5_000;

type ManualsPlace = {
  /** A folder with the unpacked packages. */
  docs: string;
  /** The data folder of an index that stays; absent: it is made anew and removed. */
  kept: string | undefined;
  /** A fixed port gives the manuals the same addresses in each run. */
  port: number;
};

/**
 * Serves the manuals on loopback under names of their own name server, crawls them into one index unless that is kept, and runs `work`
 * with the settings of a Sanderling over it.
 */
export async function withManuals(
  { docs, kept, port }: ManualsPlace,
  work: (settings: Record<'DATA_DIR' | 'DNS_SERVERS' | 'FETCH_ALLOW_PRIVATE', string>) => Promise<void>,
): Promise<void> {
  const sites: Site[] = Object.values(MANUALS);
  const dns = await startDns(Object.fromEntries(sites.map(({ host, address }) => [host, [address]])));
  const webs = await Promise.all(
    sites.map(({ address, folder }) => startWeb({ address, port, folder: join(docs, folder) })),
  );
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'sanderling-manuals-'));
  const settings = { DATA_DIR: dataDir, DNS_SERVERS: dns.address, FETCH_ALLOW_PRIVATE: '127.10.0.0/16' };
  const starts = sites.map(({ host, start = 'index.html' }, place) => `${webs[place]?.as(host)}/${start}`);
  try {
    if (!existsSync(join(dataDir, 'index.db'))) await crawlWithCli(starts, PAGES_MAX, settings);
    await work(settings);
  } finally {
    await Promise.all([dns.close(), ...webs.map((web) => web.close())]);
    if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}
