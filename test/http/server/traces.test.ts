import assert from 'node:assert/strict';
import { json } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../../../src/app/config.ts';
import { openTracing, type TraceSettings } from '../../../src/platform/tracing/open-tracing.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, serveReal } from '../../harness.ts';

/** A span as OTLP's JSON has it: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
  status: { code?: number; message?: string };
};
type Batch = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };

const CALLERS_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLERS_SPAN = '00f067aa0ba902b7';
const SETTINGS = {
  METERING: 'on',
  FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20for%20the%20receiver',
};

describe('traces', () => {
  const spans: Span[] = [];
  const keys: (string | undefined)[] = [];
  let receiver: FakeWeb;
  let site: FakeWeb;
  let app: RealServed;
  let tracing: Awaited<ReturnType<typeof openTracing>>;

  before(async () => {
    receiver = await startWeb({
      routes: {
        '/v1/traces': async (request, response) => {
          keys.push(request.headers.authorization);
          const { resourceSpans } = (await json(request)) as Batch;
          spans.push(
            ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
          );
          response.setHeader('content-type', 'application/json').end('{}');
        },
      },
    });
    site = await startWeb({
      routes: { '/secret-page': '<title>Waders</title><p>The turnstone winters on rocky shores.</p>' },
    });
    const settings = { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin };
    // What the settings name is what is opened.
    tracing = await openTracing(readConfig(settings).traces as TraceSettings);
    app = await serveReal(settings, { tracing });
    const caller = await app.owner();
    await caller.get(`/r/${site.origin}/secret-page`, {
      traceparent: `00-${CALLERS_TRACE}-${CALLERS_SPAN}-01`,
    });
    await caller.post('/v1/search', { query: 'turnstone secret', contents: { text: true } });
    await app.post(
      '/v1/contents',
      { urls: ['https://example.invalid/secret'] },
      { 'x-api-key': 'sdl_nobody' },
    );
    await app.close();
    await tracing.close();
  });
  after(() => Promise.all([receiver.close(), site.close()]));

  const first = (name: string): Span => {
    const found = spans.find((span) => span.name === name);
    assert.ok(found, `no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
    return found;
  };
  const namesIn = ({ traceId }: Span): Set<string> =>
    new Set(spans.filter((span) => span.traceId === traceId).map(({ name }) => name));

  test('a request is a span, continues the trace of its caller, and names its route alone', () => {
    const read = first('GET /r');
    assert.equal(read.traceId, CALLERS_TRACE);
    assert.equal(read.parentSpanId, CALLERS_SPAN);
    assert.deepEqual(
      read.attributes.map(({ key }) => key),
      ['http.request.method', 'http.route', 'request.id'],
    );
  });

  test('its stages and stores are spans below it', () => {
    const read = namesIn(first('GET /r'));
    for (const name of ['open page', 'fetch', 'thread extractPage', 'index put', 'store'])
      assert.ok(read.has(name), `${name} is missing among ${[...read].join(', ')}`);
    assert.ok([...read].some((name) => name.startsWith('ledger ')));
    const search = namesIn(first('POST /v1/search'));
    for (const name of ['index search', 'open page']) assert.ok(search.has(name), name);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    assert.equal(byId.get(first('fetch').parentSpanId ?? '')?.name, 'open page');
  });

  test('a failure is told by its code', () => {
    assert.deepEqual(first('POST /v1/contents').status, { code: 2, message: 'invalid_api_key' });
  });

  test('no address, query or key is part of a span', () => {
    assert.doesNotMatch(JSON.stringify(spans), /secret|127\.\d|sdl_|turnstone/);
  });

  test('each batch carries the headers of the settings', () => {
    assert.ok(keys.length > 0);
    assert.deepEqual([...new Set(keys)], ['Bearer for the receiver']);
  });
});

test('without a receiver requests are answered as ever', async (t) => {
  const nobody = await startWeb({});
  await nobody.close();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: nobody.origin };
  const tracing = await openTracing(readConfig(settings).traces as TraceSettings);
  const app = await serveReal(settings, { tracing });
  t.after(() => app.close());
  assert.equal((await app.get('/healthz')).status, 200);
  await tracing.close();
  assert.equal((await app.get('/healthz')).status, 200);
});
