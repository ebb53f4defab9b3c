import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createGuardedFetch, type GuardedNetwork } from '../../src/platform/net/guarded-fetch.ts';

/** A URL of the collection and what must become of it. */
export type SsrfCase = {
  url: string;
  expect: 'reject' | 'reject-after-dns' | 'allow-if-routable' | 'depends-on-dns';
  why: string;
  whatwg: { hostname: string; username: boolean } | null;
};

/** A way to make the service fetch. `ask` gives the failure code it answers with, or null when it answers with a page. */
export type FetchingRoute = { name: string; ask(url: string): Promise<string | null> };

/** A network whose names and sockets are played; `connections` lists the hosts that it was about to connect to. */
export type RecordedNetwork = GuardedNetwork & { readonly connections: string[]; readonly lookups: string[] };

export type SsrfCounts = {
  refusedByText: number;
  refusedAfterLookup: number;
  connected: number;
  /** Refused for a user name or password in the URL, although the host alone would pass. */
  refusedForCredentials: number;
};

const PUBLIC_ADDRESS = '93.184.215.14';
const PRIVATE_ADDRESS = '10.1.2.3';

/** The collection, or null where the data folder (EVAL_DATA) does not have it. */
export function readSsrfCases(): SsrfCase[] | null {
  const data = process.env.EVAL_DATA ?? resolve(import.meta.dirname, '../../../shared/data');
  const file = join(data, 'ssrf_urls/urls.jsonl');
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as SsrfCase);
}

/** The production policy over a played world: the names of `reject-after-dns` have a private address, all others a public one. */
export function recordedNetwork(cases: readonly SsrfCase[]): RecordedNetwork {
  const privateNames = new Set(
    cases.filter(({ expect }) => expect === 'reject-after-dns').map(({ whatwg }) => whatwg?.hostname),
  );
  const connections: string[] = [];
  const lookups: string[] = [];
  const network = createGuardedFetch({
    resolve: async (name) => {
      lookups.push(name);
      return privateNames.has(name) ? [PUBLIC_ADDRESS, PRIVATE_ADDRESS] : [PUBLIC_ADDRESS];
    },
    openSocket: async ({ hostname }) => {
      connections.push(hostname);
      throw new Error('recorded instead of connected');
    },
  });
  return { ...network, connections, lookups };
}

/** Asks one route for every URL and holds the outcome against the verdict. Throws for the first that differs. */
export async function checkVerdicts(
  route: FetchingRoute,
  network: RecordedNetwork,
  cases: readonly SsrfCase[],
): Promise<SsrfCounts> {
  const counts = { refusedByText: 0, refusedAfterLookup: 0, connected: 0, refusedForCredentials: 0 };
  for (const { url, expect, why, whatwg } of cases) {
    network.connections.length = 0;
    network.lookups.length = 0;
    const outcome = await route.ask(url);
    const told = `${route.name} ${JSON.stringify(url)} (${expect}, ${why})`;
    if (expect === 'reject' || expect === 'reject-after-dns' || whatwg?.username) {
      assert.equal(outcome, 'url_not_allowed', told);
      assert.deepEqual(network.connections, [], told);
      if (expect === 'reject') counts.refusedByText += 1;
      else if (whatwg?.username) counts.refusedForCredentials += 1;
      else counts.refusedAfterLookup += 1;
      assert.equal(network.lookups.length > 0, expect === 'reject-after-dns', told);
    } else {
      assert.notEqual(outcome, 'url_not_allowed', told);
      assert.notEqual(network.connections.length, 0, told);
      counts.connected += 1;
    }
  }
  return counts;
}
