import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request as requestOf } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createClusterIndex } from '../../src/index/opensearch/cluster-index.ts';
import {
  ClusterRefusal,
  type ClusterSettings,
  openCluster,
} from '../../src/index/opensearch/connect/cluster.ts';
import { createLog } from '../../src/platform/log.ts';
import { makeCertificate, type TestCertificate } from '../fixtures/certificates.ts';
import { clusterForTests } from '../fixtures/cluster-for-tests.ts';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const cluster = clusterForTests();
if (cluster !== null)
  describe('a cluster behind TLS', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sanderling-tls-'));
    const name = `tls-${process.pid}`;
    let certificate: TestCertificate;
    let settings: ClusterSettings;
    let server: ReturnType<typeof createTlsServer>;
    before(async () => {
      certificate = await makeCertificate(folder);
      const own = cluster.settings(name);
      const { hostname, port } = new URL(own.url);
      server = createTlsServer(certificate, (request, response) => {
        const { method, url: path, headers } = request;
        const passed = requestOf({ hostname, port, method, path, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        request.pipe(passed);
      });
      settings = { ...own, url: `https://127.0.0.1:${await listening(server)}/${name}` };
    });
    after(async () => {
      server.closeAllConnections();
      server.close();
      await cluster.remove(name);
      rmSync(folder, { recursive: true, force: true });
    });

    const open = (caFile: string | null) =>
      createClusterIndex({ settings: { ...settings, caFile }, log: createLog('silent') });

    test('is used where its authority is named', async () => {
      const index = open(certificate.authorityFile);
      assert.deepEqual(await index.problems(), []);
      await index.close();
    });

    test('is refused under another authority, or none, and the error names the setting', async () => {
      const other = join(folder, 'other');
      mkdirSync(other);
      for (const caFile of [(await makeCertificate(other)).authorityFile, null]) {
        const index = open(caFile);
        await assert.rejects(index.problems(), ({ cause }: Error) => {
          assert.match((cause as Error).message, /certificate.*INDEX_CA_FILE/);
          return true;
        });
        await index.close();
      }
    });
  });

const KEYS = { region: 'eu-central-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalr/EXAMPLE+KEY' };

describe('requests that are signed for AWS', () => {
  const refused: string[] = [];
  let server: Server;
  let url: string;
  before(async () => {
    server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const problem = signatureProblem(request, Buffer.concat(parts));
      if (problem !== null) refused.push(problem);
      response.writeHead(problem === null ? 200 : 403, { 'content-type': 'application/json' });
      response.end(JSON.stringify(problem === null ? { items: [] } : { error: problem }));
    });
    url = `http://127.0.0.1:${await listening(server)}/docs`;
  });
  after(() => void server.close());

  const open = (aws: Partial<typeof KEYS> & { sessionToken: string | null }) =>
    openCluster({
      url,
      caFile: null,
      token: null,
      shards: 1,
      refreshMs: 1_000,
      aws: { ...KEYS, ...aws },
    });

  test('carry a signature that a verifier of its own accepts, whatever their path, query and body', async () => {
    for (const sessionToken of [null, 'a session/token+of==AWS']) {
      const opened = open({ sessionToken });
      await opened.request({ method: 'GET', path: '/_cluster/health/docs-pages,docs-lives' });
      await opened.request({
        method: 'POST',
        path: '/_bulk',
        lines: ['{"index":{"_id":"a b"}}', '{"title":"Größe"}'],
        query: { refresh: 'wait_for', filter_path: 'items.*.status,items.*.error.reason' },
      });
      await opened.request({ method: 'POST', path: '/docs-pages/_search', body: { query: 'Über ~*!' } });
      await opened.close();
    }
    assert.deepEqual(refused, []);
  });

  test('with another secret are refused, so that the verifier tells something', async () => {
    const opened = open({ secretAccessKey: 'another', sessionToken: null });
    await assert.rejects(
      opened.request({ method: 'GET', path: '/docs-pages' }),
      (error) => error instanceof ClusterRefusal && error.status === 403,
    );
    await opened.close();
  });
});

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Reckons the signature again, as the documentation of AWS Signature Version 4 has it; null: the request carries the same. */
function signatureProblem(request: IncomingMessage, body: Buffer): string | null {
  const { authorization = '', ...headers } = request.headers;
  const [, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\S+?), ?SignedHeaders=(\S+?), ?Signature=(\w+)$/.exec(
      authorization,
    ) ?? [];
  const date = String(headers['x-amz-date']);
  if (scope !== `${date.slice(0, 8)}/${KEYS.region}/es/aws4_request`) return `the scope ${scope} is another`;
  for (const name of [
    'host',
    'x-amz-date',
    ...(headers['x-amz-security-token'] ? ['x-amz-security-token'] : []),
  ])
    if (!names.split(';').includes(name)) return `${name} is not signed`;
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://any');
  const query = [...searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const canonical = [
    request.method,
    pathname.split('/').map(encoded).join('/'),
    query.join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${KEYS.secretAccessKey}`);
  const right = hmac(key, toSign).toString('hex');
  return signature === right ? null : `${request.method} ${request.url} has another signature`;
}
