import { readFileSync } from 'node:fs';
import { type Cluster, ClusterRefusal } from '../connect/cluster.ts';

/** The names used for reads and writes. Those of pages and lives are aliases, each of one versioned index. */
export type IndexNames = { pages: string; lives: string; links: string; hosts: string; state: string };

/** Layout version of the mapping files beside this module. */
const LAYOUT = 3;
/** The previous layout, whose pages can be read and so moved. */
const LAYOUT_BEFORE = 2;
/** Id of the only document in the state index. */
export const STATE_ID = 'state';
/** Id of the document in the hosts index that holds the last ranking; ids of hosts are hashes. */
export const RANKING_ID = 'ranking';

type Mapping = { settings: { index: Record<string, unknown> }; mappings: { _meta: { layout: number } } };

export const buildIndexNames = (name: string): IndexNames => ({
  pages: `${name}-pages`,
  lives: `${name}-lives`,
  links: `${name}-links`,
  hosts: `${name}-hosts`,
  state: `${name}-state`,
});

/** Creates missing indices and aliases, and resolves when all exist. Throws an Error if an index has another layout. */
export async function ensureLayout(cluster: Cluster): Promise<void> {
  const names = buildIndexNames(cluster.name);
  await Promise.all([
    ensureAlias(cluster, names.pages, 'pages'),
    ensureAlias(cluster, names.lives, 'lives'),
    ensureIndex(cluster, names.links, 'links'),
    ensureIndex(cluster, names.hosts, 'hosts'),
    ensureState(cluster, names.state),
  ]);
}

/** Settings of an index while it is filled: nobody searches it, and pages that a node loses are noticed and rewritten before its use. */
const WHILE_FILLED = {
  refresh_interval: '-1',
  auto_expand_replicas: false,
  number_of_replicas: 0,
  translog: { durability: 'async' },
};
/** Time limit for flushing and replicating a large index. */
const COPIES_TIMEOUT_MS = 3_600_000;

/** Creates the empty indices of the next version, without moving the aliases; resolves to their names. */
export async function createNextVersion(cluster: Cluster): Promise<{ pages: string; lives: string }> {
  const names = buildIndexNames(cluster.name);
  const held = Object.keys(
    await cluster.request({ method: 'GET', path: `/${names.pages}-*,${names.lives}-*` }),
  );
  const last = Math.max(0, ...held.map((index) => Number(/-(\d+)$/.exec(index)?.[1] ?? 0)));
  const [pages, lives] = [`${names.pages}-${last + 1}`, `${names.lives}-${last + 1}`];
  for (const [index, kind] of [[pages, 'pages'] as const, [lives, 'lives'] as const]) {
    const { settings, ...body } = buildIndexBody(cluster, kind, null);
    const filled = { ...settings, index: { ...settings.index, ...WHILE_FILLED } };
    await createIndex(cluster, index, { ...body, settings: filled });
  }
  return { pages, lives };
}

/** Prepares a filled version for searches and further writes; resolves when each shard has its copies. */
export async function endFilling(
  cluster: Cluster,
  { pages, lives }: { pages: string; lives: string },
): Promise<void> {
  const path = `/${pages},${lives}`;
  await cluster.request({
    method: 'PUT',
    path: `${path}/_settings`,
    timeoutMs: LAYOUT_TIMEOUT_MS,
    body: {
      index: {
        refresh_interval: `${cluster.settings.refreshMs}ms`,
        auto_expand_replicas: '0-1',
        translog: { durability: 'request' },
      },
    },
  });
  await cluster.request({ method: 'POST', path: `${path}/_flush`, timeoutMs: COPIES_TIMEOUT_MS });
  await cluster.request({
    method: 'GET',
    path: `/_cluster/health${path}`,
    timeoutMs: COPIES_TIMEOUT_MS,
    query: { wait_for_status: 'green', timeout: `${COPIES_TIMEOUT_MS / 2_000}s` },
  });
}

/** Points the aliases to other indices in one step; resolves to the names of the indices that they pointed to. */
export async function switchAliases(
  cluster: Cluster,
  next: { pages: string; lives: string },
): Promise<string[]> {
  const names = buildIndexNames(cluster.name);
  const held = await listAliasedIndices(cluster, [names.pages, names.lives]);
  const old = held.map(({ index }) => index).filter((index) => index !== next.pages && index !== next.lives);
  await cluster.request({
    method: 'POST',
    path: '/_aliases',
    timeoutMs: LAYOUT_TIMEOUT_MS,
    body: {
      actions: [
        ...held.map(({ index, alias }) => ({ remove: { index, alias } })),
        { add: { index: next.pages, alias: names.pages, is_write_index: true } },
        { add: { index: next.lives, alias: names.lives, is_write_index: true } },
      ],
    },
  });
  return old;
}

/** Lists the indices that the aliases point to. */
async function listAliasedIndices(
  cluster: Cluster,
  aliases: string[],
): Promise<{ index: string; alias: string }[]> {
  const found = await cluster.request<Record<string, { aliases: Record<string, unknown> }>>({
    method: 'GET',
    path: `/_alias/${aliases.join(',')}`,
  });
  return Object.entries(found).flatMap(([index, { aliases: held }]) =>
    Object.keys(held)
      .filter((alias) => aliases.includes(alias))
      .map((alias) => ({ index, alias })),
  );
}

const LAYOUT_TIMEOUT_MS = 30_000;

async function ensureAlias(cluster: Cluster, alias: string, kind: 'pages' | 'lives'): Promise<void> {
  const layout = await readLayout(cluster, alias);
  if (layout === null) await createIndex(cluster, `${alias}-1`, buildIndexBody(cluster, kind, alias));
  else if (layout !== LAYOUT && !(layout === LAYOUT_BEFORE && cluster.settings.isMoved === true))
    throw new Error(describeLayoutMismatch(alias, layout));
}

/** Creates an index without versions, for documents derived from pages or about them. */
async function ensureIndex(cluster: Cluster, name: string, kind: 'links' | 'hosts' | 'state'): Promise<void> {
  if ((await readLayout(cluster, name)) === null) await createIndex(cluster, name, readMapping(kind));
}

async function ensureState(cluster: Cluster, name: string): Promise<void> {
  await ensureIndex(cluster, name, 'state');
  // A read can be answered by a replica while the primary is lost.
  const { found } = await cluster
    .request<{ found?: boolean }>({ method: 'GET', path: `/${name}/_doc/${STATE_ID}`, repeatsBusy: true })
    .catch(toNotFound);
  if (found === true) return;
  await cluster
    .request({
      method: 'PUT',
      path: `/${name}/_create/${STATE_ID}`,
      body: { changes: 0, removals: 0, epoch: 0 },
    })
    .catch(ignoreReason('version_conflict'));
}

function describeLayoutMismatch(alias: string, layout: number): string {
  const help =
    layout === LAYOUT_BEFORE
      ? 'sanderling index move, with the value of INDEX_URL as both places, makes one of this layout, and servers of the earlier version go on until then'
      : 'let INDEX_URL end in another name, and fill that index';
  return `the index ${alias} has layout ${layout} and this version reads ${LAYOUT}; ${help}`;
}

/** Reads the layout of the index that an alias points to; null if there is none. */
async function readLayout(cluster: Cluster, alias: string): Promise<number | null> {
  try {
    const found = await cluster.request<Record<string, Mapping>>({
      // Every node knows the mappings, while the cluster manager may just have been lost.
      method: 'GET',
      path: `/${alias}/_mapping`,
      query: { local: true },
    });
    return Object.values(found)[0]?.mappings._meta.layout ?? 0;
  } catch (error) {
    if (error instanceof ClusterRefusal && error.status === 404) return null;
    throw error;
  }
}

function buildIndexBody(cluster: Cluster, kind: 'pages' | 'lives', alias: string | null) {
  const { settings, mappings } = readMapping(kind);
  const { shards, refreshMs } = cluster.settings;
  const index = { ...settings.index, number_of_shards: shards, refresh_interval: `${refreshMs}ms` };
  const aliases = alias === null ? {} : { aliases: { [alias]: { is_write_index: true } } };
  return { settings: { ...settings, index }, mappings, ...aliases };
}

function readMapping(kind: 'pages' | 'lives' | 'links' | 'hosts' | 'state'): Mapping {
  return JSON.parse(readFileSync(new URL(`./${kind}.json`, import.meta.url), 'utf8'));
}

/** Creates an index, unless another process creates it at the same time. */
async function createIndex(cluster: Cluster, index: string, body: object): Promise<void> {
  await cluster
    .request({ method: 'PUT', path: `/${index}`, body, timeoutMs: LAYOUT_TIMEOUT_MS })
    .catch(ignoreReason('resource_already_exists'));
}

/** Treats a missing document, and an index that another process has just created, as not found; writes wait until the index is ready. */
function toNotFound(error: unknown): { found: false } {
  if (error instanceof ClusterRefusal && (error.status === 404 || error.status === 503))
    return { found: false };
  throw error;
}

function ignoreReason(reason: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof ClusterRefusal && error.reason.startsWith(reason))) throw error;
  };
}
