import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { OPERATIONS } from '../../../src/http/openapi/operations.ts';
import { describeInterface } from '../../fixtures/interface-description.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { writeLibraries } from '../../fixtures/written-libraries.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import { unscriptedDeps } from '../../unscripted.ts';

/** The answers in the reference come from a real server that reads a small site; UPDATE_DOCS=1 writes them. */

const FILE = 'src/http/docs/reference/answer-examples.jsonl';
const isUpdating = process.env.UPDATE_DOCS === '1';

const page = (
  title: string,
  text: string,
): string => `<!doctype html><html lang="en"><head><title>${title}</title>
<meta property="article:published_time" content="2026-03-01"></head><body><nav><a href="/">Home</a> <a href="/logs/checkpoints">Checkpoints</a></nav>
<main><h1>${title}</h1>${text}</main></body></html>`;

const PAGES: Record<string, string> = {
  '/': page(
    'Example Domain',
    '<p>This domain is for use in examples. How does write-ahead logging work, and when is a log the wrong choice? These pages explain it, with what each step costs and what it protects from.</p><p>Read on about <a href="/logs/write-ahead">write-ahead logs</a> and <a href="/logs/checkpoints">checkpoints</a>.</p>',
  ),
  '/logs/write-ahead': page(
    'Write-ahead logging',
    '<h2>What is a write-ahead log?</h2><p>A write-ahead log is a file to which a database appends each change before it changes its tables. After a crash the database reads the log again and repeats what had not reached the tables, so that a change that was confirmed is never lost.</p><h2>Cost</h2><p>Every change is written twice: once to the log, in order and therefore fast, and later to its place in the tables. Readers look at both until a checkpoint has copied the log.</p>',
  ),
  '/logs/checkpoints': page(
    'Checkpoints of a write-ahead log',
    '<p>A checkpoint copies what a write-ahead log holds into the tables of the database, and lets the log begin again. Without checkpoints the log grows without end, and a start after a crash takes longer the longer the log is.</p>',
  ),
};

/** Operations whose answers would say something about the machine, not about the operation. */
const LEFT_OUT = new Set([
  'metrics',
  'tools',
  'buy',
  'sources',
  'autoReload',
  'firecrawlConcurrency',
  'readyz',
  'versions',
  'versionChanges',
]);

let web: FakeWeb;
let served: RealServed;
before(async () => {
  web = await startWeb({ routes: PAGES });
  served = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8', APP_SECRET: 'a'.repeat(40) });
  await writeLibraries(served, [
    {
      name: 'fastify',
      version: '5.1.0',
      pages: {
        'docs/hooks.md':
          "# Hooks\n\nA hook that is added to the server runs for every request:\n\n```js\nserver.addHook('onRequest', check);\n```\n",
      },
    },
  ]);
});
after(async () => {
  await served.close();
  await web.close();
});

type Example = { id: string; request: string; body: unknown };

async function record(): Promise<Example[]> {
  const owner = await served.owner();
  const urls = Object.keys(PAGES).map((path) => web.origin + path);
  const read = await owner.post('/v1/contents', { urls });
  assert.equal(read.json.results.length, urls.length, read.text);
  const examples: Example[] = [];
  for (const [name, { id, example }] of Object.entries(OPERATIONS)) {
    if (example === undefined || LEFT_OUT.has(id)) continue;
    const [method = '', path = ''] = name.split(' ');
    const target = (example.path ?? path).replace('https://example.org', web.origin);
    const body = JSON.parse(JSON.stringify(example.body ?? {}).replaceAll('https://example.org', web.origin));
    const { status, text, json } =
      method === 'GET' ? await owner.get(target) : await owner.post(target, body);
    assert.equal(status, 200, `${name}: ${text}`);
    examples.push({
      id,
      request: `${method} ${example.path ?? path}`,
      body: json === undefined ? settled(text) : JSON.parse(settled(text), settledValue),
    });
  }
  return examples;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What differs from run to run, as it looks on a public server. */
function settled(text: string): string {
  return text
    .replaceAll(web.origin, 'https://example.org')
    .replaceAll(encodeURIComponent(web.origin), encodeURIComponent('https://example.org'))
    .replaceAll(new URL(web.origin).host, 'example.org')
    .replaceAll(served.address, 'https://search.example.org')
    .replaceAll(/req_[0-9a-f]+/g, 'req_01a20300c3a81ae1a25d6a49')
    .replaceAll(/webhook-secret-\w+/g, 'webhook-secret')
    .replaceAll(/sha256:[0-9a-f]{64}/g, `sha256:${'0'.repeat(64)}`)
    .replaceAll(/key_[0-9a-f]+/g, 'key_851d61ecee026fe9d331b11d')
    .replaceAll(UUID, '6f1c3c8e-9f1b-4a51-8d3e-2b7f3c0f6a10')
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, '2026-11-21T12:00:00.000Z');
}

/** Times in milliseconds or seconds. */
const TIMES = new Set(['searchTimeMs', 'searchTime', 'ms', 'response_time', 'seconds']);
/** Whatever the index gives in figures that depend on the order of reading. */
const ROUNDED = new Set(['score', 'relevance_score']);

function settledValue(this: unknown, name: string, value: unknown): unknown {
  if (name === 'timingsMs') return { recall: 12, total: 41 };
  if (name === 'burn_rate_per_day' || name === 'credits' || name === 'plan_limit')
    return typeof value === 'number' ? 1_000 : value;
  if (name === 'webhookSecret') return 'whsec_example';
  if (typeof value !== 'number') return value;
  if (TIMES.has(name)) return name === 'response_time' || name === 'seconds' ? 0.04 : 41;
  return ROUNDED.has(name) ? Math.round(value * 10) / 10 : value;
}

test('the answers in the reference are those of a real server', async () => {
  const examples = await record();
  if (isUpdating) writeFileSync(FILE, `${examples.map((one) => JSON.stringify(one)).join('\n')}\n`);
  const written = readFileSync(FILE, 'utf8')
    .trim()
    .split('\n')
    .map((line): Example => JSON.parse(line));
  // A busy machine may leave out a passage, so the fields are compared, not their values.
  assert.deepEqual(written.map(partsOf), examples.map(partsOf), 'run with UPDATE_DOCS=1');
  assert.ok(written.length > 25);
  const { check } = describeInterface(unscriptedDeps());
  for (const { request, body } of written) {
    const [method = '', path = ''] = request.split(' ');
    if (typeof body !== 'string') check({ method: method.toLowerCase(), path, status: 200, json: body });
  }
});

/** An example without its values. */
function partsOf({ id, request, body }: Example): object {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return { id, request, fields: isObject ? Object.keys(body).sort() : typeof body };
}
