import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { askRunningSources } from '../../../src/cli/doctor/doctor-sources.ts';
import { startUpstream, type Upstream } from '../../fixtures/upstream.ts';
import { type RealServed, serveReal } from '../../harness.ts';

describe('GET /v1/sources', () => {
  let upstream: Upstream;
  let served: RealServed;

  before(async () => {
    upstream = await startUpstream();
    served = await serveReal({
      RECALL: 'index,searxng,github',
      SEARXNG_URL: upstream.baseUrl('searxng'),
      GITHUB_URL: upstream.baseUrl('github'),
      GITHUB_API_TOKEN: 'secret-token',
    });
  });
  after(async () => {
    await served.close();
    await upstream.close();
  });

  test('anybody sees every source, on or off and why, and no key or address of the operator', async () => {
    const { status, json, text } = await served.get('/v1/sources');
    assert.equal(status, 200);
    const byName = new Map(json.sources.map((source: { name: string }) => [source.name, source]));
    assert.equal(byName.size, 16);
    assert.partialDeepStrictEqual(byName.get('index'), { scope: 'index', state: 'on' });
    assert.partialDeepStrictEqual(byName.get('searxng'), {
      scope: 'web',
      state: 'on',
      breaker: 'closed',
      calls: 0,
      p50Ms: null,
      successShare: null,
    });
    assert.partialDeepStrictEqual(byName.get('npm'), { state: 'off', why: 'RECALL does not name it' });
    assert.doesNotMatch(text, /secret-token|127\./);
  });

  test('a search is seen in it and in the metrics', async () => {
    upstream.play('searxng', { mode: 'ok' });
    upstream.play('github', { mode: '401' });
    const { post } = await served.owner();
    const search = await post('/v1/search', { query: 'parse json in rust library', flags: ['a'] });
    assert.equal(search.status, 200);
    assert.partialDeepStrictEqual(search.json.service, {
      sources: { searxng: { ok: true, results: 1 }, github: { ok: false, error: 'refused' } },
      ignored: ['flags'],
      filters: {},
    });
    const { json } = await served.get('/v1/sources');
    const seen = Object.fromEntries(json.sources.map(({ name, ...rest }: { name: string }) => [name, rest]));
    assert.partialDeepStrictEqual(seen.searxng, { calls: 1, successShare: 1 });
    assert.partialDeepStrictEqual(seen.github, { calls: 1, successShare: 0, p50Ms: null });
    const { text } = await served.get('/metrics');
    assert.match(text, /^sanderling_source_calls\{source="searxng"\} 1$/m);
    assert.match(text, /^sanderling_source_success_share\{source="github"\} 0$/m);
  });

  test('the doctor reads it off a server that runs, and nothing where none does', async () => {
    const { port } = new URL(served.address);
    const running = await askRunningSources({ host: '127.0.0.1', port: Number(port) });
    assert.equal(running?.get('searxng')?.calls, 1);
    assert.equal(running?.get('github')?.successShare, 0);
    assert.equal(await askRunningSources({ host: 'localhost', port: upstream.port }), null);
    assert.equal(await askRunningSources({ host: '0.0.0.0', port: 1 }), null);
  });
});
