import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import type { MakeReference } from '../libraries/api/reference-maker.ts';
import { createLibraries, type Libraries } from '../libraries/libraries.ts';
import { createHeldRegistries } from '../libraries/registries/held-registries.ts';
import { createRegistries } from '../libraries/registries/registry.ts';
import { createRegistryRequests } from '../libraries/registries/registry-requests.ts';
import {
  parseRegistryFlags,
  readRegistrySettings,
} from '../libraries/registries/settings/registry-settings.ts';
import type { ReadSite } from '../libraries/sources/collect-documents.ts';
import { createNamedFetch } from '../platform/net/upstream-fetch.ts';
import type { Services } from './compose-services.ts';

type LibraryServices = Pick<
  Services,
  'config' | 'clock' | 'network' | 'index' | 'store' | 'pages' | 'operations'
>;

/** Registries and hosts that the operator names, in addition to the settings of the package managers. */
export type LibrarySources = {
  env: Readonly<Record<string, string | undefined>>;
  /** Folder whose settings count before those of the home folder. */
  folder: string;
  registries: readonly string[];
  trustedHosts: readonly string[];
  /** Makes the API references; null: none are wanted. */
  makeReference: MakeReference | null;
  /** Nobody is asked: what is held counts, and the rest is named. Absent: no. */
  isOffline?: boolean;
};

/** Registries answer slowly for large packages; their archives come in one piece. */
const NAMED_LIMITS = {
  connectMs: 10_000,
  headersMs: 60_000,
  idleMs: 30_000,
  perHostMax: 8,
  redirectsMax: 5,
};
const SITE_MS = 120_000;
const SITE_DEPTH_MAX = 5;
const SITE_BREADTH_MAX = 500;

/** Composes the libraries over the services; `close` ends what the latter do not. */
export function composeLibraries(
  services: LibraryServices,
  { env, folder, registries, trustedHosts, makeReference, isOffline = false }: LibrarySources,
): Libraries & { close(): Promise<void> } {
  const { config, clock, network, index, store } = services;
  const settings = readRegistrySettings({
    env,
    folder,
    home: env.HOME ?? homedir(),
    readFile: readFileIfPresent,
    flags: parseRegistryFlags(registries),
    trustedHosts,
  });
  const named = createNamedFetch({
    dnsServers: config.dnsServers,
    egress: config.egress,
    limits: NAMED_LIMITS,
  });
  const requests = createRegistryRequests({
    fetch: network.fetch,
    fetchNamed: named.fetch,
    namedHosts: settings.namedHosts,
    now: clock.now,
  });
  const asked = createRegistries(requests, settings);
  const libraries = createLibraries({
    store,
    index,
    clock,
    extract: services.pages.extract,
    requests,
    registries: isOffline ? createHeldRegistries(store) : asked,
    isOffline,
    readSite: createReadSite(services),
    makeReference,
  });
  return { ...libraries, close: named.close };
}

function readFileIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'EACCES') return null;
    throw error;
  }
}

/** Reads a site at and below the folder of an address. */
function createReadSite({ operations }: LibraryServices): ReadSite {
  return async (url, { pagesMax, signal }) => {
    const below = new URL(url).pathname.replace(/(?<=\/)[^/]{0,200}$/, '');
    const pages = await operations.siteCrawl({
      starts: [url],
      filters: {
        selectPaths: [{ isIn: (path) => path.startsWith(below) }],
        excludePaths: [],
        selectDomains: [],
        excludeDomains: [],
        allowExternal: false,
      },
      depthMax: SITE_DEPTH_MAX,
      breadthMax: SITE_BREADTH_MAX,
      pagesMax,
      instructions: null,
      budgetMs: SITE_MS,
      signal,
      passagesPerPage: 1,
      plain: false,
    });
    return pages.map((page) => ({ url: page.url, markdown: page.text }));
  };
}
