import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { StoreUnavailable } from '../../src/contract/errors.ts';
import { createClusterIndex } from '../../src/index/opensearch/cluster-index.ts';
import { openCluster, runInCall } from '../../src/index/opensearch/connect/cluster.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';

type Stall = { path: string; closed: Promise<unknown> };

/** Answers as a cluster with an index of ten pages; what `isStalled` names is never answered, and what `refusalOf` does is refused. */
async function startCluster(
  t: TestContext,
  isStalled: (path: string, url: string) => boolean,
  refusalOf: (path: string, method: string) => { status: number } | null = () => null,
) {
  const stalled = Promise.withResolvers<Stall>();
  let requests = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = request;
    const path = url.split('?', 1)[0] ?? '';
    requests += 1;
    if (isStalled(path, url)) return stalled.resolve({ path, closed: once(response, 'close') });
    response.setHeader('content-type', 'application/json');
    const refusal = refusalOf(path, request.method ?? '');
    if (refusal !== null) response.writeHead(refusal.status).end(JSON.stringify(refusal));
    else response.end(JSON.stringify(answerTo(path)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, stalled: stalled.promise, requests: () => requests };
}

function answerTo(path: string): unknown {
  const sum = { value: 100 };
  if (path.endsWith('/_mapping')) return { one: { mappings: { _meta: { layout: 3 } } } };
  if (path.endsWith('/_stats/docs')) return { _all: { primaries: { docs: { deleted: 0 } } } };
  if (path.endsWith('/_search_shards')) return { shards: [[{ shard: 0 }]] };
  if (path.endsWith('/_search'))
    return {
      hits: { total: { value: 10 }, hits: [] },
      aggregations: {
        title: sum,
        headings: sum,
        address: sum,
        body: sum,
        languages: { buckets: [{ key: 'en' }] },
      },
    };
  if (path.endsWith('/_mtermvectors'))
    return { docs: [{ term_vectors: { words: { field_statistics: { doc_count: 10 }, terms: {} } } }] };
  return { found: true, _source: { changes: 1, removals: 0, epoch: 0 } };
}

/** What nodes ask the one that leads them, unless told to answer by themselves. */
const asksTheLeader = (path: string, url: string): boolean =>
  /\/_(mapping|search_shards)$/.test(path) && !url.includes('local=true');

/** The first call looks at each of them. */
const INDICES = 5;

const settingsAt = (url: string) => ({
  url,
  caFile: null,
  token: null,
  aws: null,
  shards: 1,
  refreshMs: 1_000,
});

describe('a cluster that does not answer', { timeout: 60_000 }, () => {
  test('is asked no longer once a search is given up: the request ends there too', async (t) => {
    const { url, stalled } = await startCluster(t, (path) => path === '/_mtermvectors');
    const index = createClusterIndex({ settings: settingsAt(url), log: createLog('silent') });
    const caller = new AbortController();
    const query = { ...NO_FILTERS, query: readQuery('wading birds'), limit: 10 };
    const search = index.search(query, caller.signal);
    const { closed } = await stalled;
    caller.abort(new Error('out of time'));
    await assert.rejects(search);
    await closed;
    await index.close();
  });

  test('holds nobody up who asks what has changed: the state is unknown then', async (t) => {
    const { url, stalled } = await startCluster(t, (path) => path.includes('-state/_doc'));
    const index = createClusterIndex({ settings: settingsAt(url), log: createLog('silent') });
    const version = index.version();
    const epoch = assert.rejects(async () => index.epoch(), /does not answer|cannot be reached/);
    await stalled;
    assert.match(await version, /^unknown /);
    await epoch;
    await index.close();
  });

  test('keeps no process from closing: what waits for it fails then', async (t) => {
    const { url, stalled, requests } = await startCluster(t, () => true);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const index = createClusterIndex({ settings: settingsAt(url), log: createLog('silent') });
    const size = assert.rejects(index.size(), StoreUnavailable);
    await stalled;
    const closed = index.close();
    t.mock.timers.tick(3_000);
    await closed;
    await size;
    await assert.rejects(index.size(), StoreUnavailable);
    assert.ok(requests() <= INDICES, 'nothing was asked again');
  });

  test('fails soon for those who close before the index is closed', async (t) => {
    const { url, stalled, requests } = await startCluster(t, () => true);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const index = createClusterIndex({ settings: settingsAt(url), log: createLog('silent') });
    index.endSoon?.();
    const use = assert.rejects(index.use(['https://example.org/']), StoreUnavailable);
    await stalled;
    t.mock.timers.tick(3_000);
    await use;
    await index.close();
    assert.ok(requests() <= INDICES, 'nothing was asked again');
  });

  test('for want of a node that leads it still answers searches', async (t) => {
    const { url } = await startCluster(t, asksTheLeader);
    const index = createClusterIndex({ settings: settingsAt(url), log: createLog('silent') });
    assert.deepEqual(await index.search({ ...NO_FILTERS, query: readQuery('wading birds'), limit: 10 }), []);
    await index.close();
  });

  test('for an index that another process has just created is waited for', async (t) => {
    let answers = 0;
    const error = { type: 'no_shard_available_action_exception', root_cause: [] };
    const { url } = await startCluster(
      t,
      () => false,
      (path, method) =>
        method === 'GET' && path.endsWith('-state/_doc/state') && answers++ < 3
          ? { error, status: 503 }
          : null,
    );
    const index = createClusterIndex({ settings: settingsAt(url), log: createLog('silent') });
    assert.deepEqual(await index.search({ ...NO_FILTERS, query: readQuery('wading birds'), limit: 10 }), []);
    assert.ok(answers > 0, 'the state was asked for');
    await index.close();
  });

  test('because a node was lost under a read is asked again', async (t) => {
    let lost = 1;
    const error = {
      type: 'search_phase_execution_exception',
      root_cause: [{ type: 'node_disconnected_exception', reason: 'node-0 disconnected' }],
    };
    const { url } = await startCluster(
      t,
      () => false,
      () => (lost-- > 0 ? { error, status: 500 } : null),
    );
    const cluster = openCluster(settingsAt(url));
    const found = await cluster.request<{ hits: unknown }>({ method: 'POST', path: '/pages/_search' });
    assert.notEqual(found.hits, undefined);
    await cluster.close();
  });

  test('in one of two nodes costs a read no more than a second try', async (t) => {
    const hung = await startCluster(t, () => true);
    const well = await startCluster(t, () => false);
    const cluster = openCluster(settingsAt(`${hung.url},${well.url}`));
    const { signal } = new AbortController();
    for (let read = 0; read < 6; read += 1) {
      const found = await runInCall(signal, () =>
        cluster.request<{ shards: unknown[] }>({
          method: 'GET',
          path: '/pages/_search_shards',
          timeoutMs: 120_000,
        }),
      );
      assert.equal(found.shards.length, 1);
    }
    assert.ok(hung.requests() > 0, 'the node that hangs was asked');
    void cluster.close();
  });
});
