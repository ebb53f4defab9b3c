import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { StoreUnavailable } from '../../src/contract/errors.ts';
import {
  type Cluster,
  openCluster,
  readOpenSearchAddress,
} from '../../src/index/opensearch/connect/cluster.ts';
import { type BulkOperation, sendBulk } from '../../src/index/opensearch/write/bulk.ts';
import { skipPauses } from '../fixtures/skip-pauses.ts';

type Item = { status: number; error?: { type: string; reason: string } };

const BUSY: Item = { status: 429, error: { type: 'rejected', reason: 'the queue is full' } };

/** A cluster whose answers to bulk requests a test scripts: for each request one item for each operation, or a status. */
async function scripted(
  t: TestContext,
  answer: (request: number, ids: string[]) => Item[] | number | Promise<Item[]>,
): Promise<{ cluster: Cluster; asked: string[][]; headers: IncomingMessage['headers'][] }> {
  const asked: string[][] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const ids = [...text.matchAll(/"_id":"(\w+)"/g)].map(([, id]) => id ?? '');
    asked.push(ids);
    headers.push(request.headers);
    const answered = await answer(asked.length, ids);
    response.setHeader('content-type', 'application/json');
    if (typeof answered === 'number')
      response.writeHead(answered).end('{"error":{"type":"busy","reason":"busy"}}');
    else response.end(JSON.stringify({ items: answered.map((item) => ({ index: item })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cluster = openCluster({
    url: `http://anna:secret@127.0.0.1:${port}/docs`,
    caFile: null,
    token: null,
    aws: null,
    shards: 1,
    refreshMs: 1_000,
  });
  t.after(async () => {
    await cluster.close();
    server.closeAllConnections();
    server.close();
  });
  return { cluster, asked, headers };
}

const put = (id: string): BulkOperation => ({ index: 'pages', id, put: { text: id } });

test('only what the cluster was too busy for is sent again, and each operation has its outcome', async (t) => {
  skipPauses(t);
  const { cluster, asked, headers } = await scripted(t, (request, ids) =>
    ids.map((id): Item => {
      if (id === 'c') return { status: 409, error: { type: 'version_conflict', reason: '' } };
      return id === 'b' && request < 3 ? BUSY : { status: id === 'd' ? 404 : 201 };
    }),
  );
  const outcomes = await sendBulk(cluster, ['a', 'b', 'c', 'd'].map(put), { wait: false });
  assert.deepEqual(outcomes, ['done', 'done', 'conflict', 'absent']);
  assert.deepEqual(asked, [['a', 'b', 'c', 'd'], ['b'], ['b']]);
  assert.equal(headers[0]?.authorization, `Basic ${Buffer.from('anna:secret').toString('base64')}`);
});

test('a cluster that stays busy is not asked for ever', async (t) => {
  skipPauses(t);
  const { cluster, asked } = await scripted(t, () => 429);
  await assert.rejects(sendBulk(cluster, [put('a')], { wait: false }), StoreUnavailable);
  assert.ok(asked.length > 3 && asked.length <= 20, `${asked.length} requests`);
});

test('large changes are sent in parts', async (t) => {
  const { cluster, asked } = await scripted(t, (_, ids) => ids.map(() => ({ status: 201 })));
  const operations = Array.from(
    { length: 5 },
    (_, place): BulkOperation => ({
      index: 'pages',
      id: `p${place}`,
      put: { text: 'x'.repeat(2_500_000) },
    }),
  );
  const outcomes = await sendBulk(cluster, operations, { wait: false });
  assert.equal(outcomes.length, 5);
  assert.deepEqual(asked.toSorted(), [['p0', 'p1'], ['p2', 'p3'], ['p4']]);
});

test('parts do not wait for each other, and what belongs to one page is in one of them', async (t) => {
  const both = Promise.withResolvers<void>();
  const { cluster, asked } = await scripted(t, async (request, ids) => {
    if (request === 2) both.resolve();
    await both.promise;
    return ids.map(() => ({ status: ids[0] === 'p0' ? 201 : 404 }));
  });
  const operations = Array.from({ length: 300 }, (_, place) => [
    { index: 'lives', id: `p${place}`, put: {} },
    { index: 'pages', id: `p${place}`, put: {} },
  ]).flat();
  // An odd one before them, so that a full part would end between two that belong together.
  const outcomes = await sendBulk(cluster, [put('p0'), ...operations.slice(2)], { wait: true });
  assert.deepEqual(asked.map(({ length }) => length).sort(), [198, 401]);
  assert.deepEqual(new Set(outcomes.slice(0, 401)), new Set(['done']));
  assert.deepEqual(new Set(outcomes.slice(401)), new Set(['absent']));
});

test('what does not fit the mapping is refused, not repeated', async (t) => {
  const { cluster, asked } = await scripted(t, () => [
    { status: 400, error: { type: 'mapper_parsing_exception', reason: 'no such field' } },
  ]);
  await assert.rejects(sendBulk(cluster, [put('a')], { wait: false }), /no such field/);
  assert.equal(asked.length, 1);
});

test('addresses name the nodes, the indices and a login', () => {
  assert.deepEqual(readOpenSearchAddress('https://a%40b:c%3Ad@one:9200/docs, https://two:9200'), {
    nodes: ['https://one:9200', 'https://two:9200'],
    name: 'docs',
    login: { username: 'a@b', password: 'c:d' },
  });
  assert.equal(readOpenSearchAddress('http://one').name, 'sanderling');
  for (const wrong of ['one:9200', 'ftp://one', 'http://one/Docs', 'http://one/a/b', ''])
    assert.throws(() => readOpenSearchAddress(wrong), Error, wrong);
});
