import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { settingsOf } from '../../fixtures/recall-fixture.ts';
import { startUpstream, type Upstream } from '../../fixtures/upstream.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import { type ConsoleClient, signIn, TOKEN } from './console-client.ts';

describe('sources in the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  let upstream: Upstream;
  let app: RealServed;
  let client: ConsoleClient;
  const serve = (): Promise<RealServed> =>
    serveReal({
      ...settingsOf(upstream, ['searxng', 'wikipedia']),
      RECALL: 'index,searxng,wikipedia',
      ADMIN_TOKEN: TOKEN,
      DATA_DIR: folder,
    });
  before(async () => {
    upstream = await startUpstream();
    app = await serve();
    client = await signIn(app);
  });
  after(async () => {
    await app.close();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const search = async (query: string) => (await app.owner()).post('/v1/search', { query });
  const rowOf = (page: string, name: string): string =>
    new RegExp(`<tr><th scope="row">${name}<br>.*?</tr>`, 's').exec(page)?.[0] ?? '';

  test('each shows its state, figures and last error, and what is missing for the others', async () => {
    upstream.play('wikipedia', { mode: '500' });
    await search('where do knots winter');
    const { text } = await client.get('/admin/sources');
    assert.match(
      rowOf(text, 'searxng'),
      /badge good">answers<[\s\S]*<td class="number">1<\/td>[\s\S]*100 %[\s\S]* ms/,
    );
    assert.match(rowOf(text, 'wikipedia'), /badge alarm">no answers<[\s\S]*<time datetime=[\s\S]*0 %/);
    assert.match(text, /<th scope="row">github<\/th><td>[^<]*<\/td><td>RECALL does not name it/);
    upstream.play('wikipedia', { mode: 'recorded' });
  });

  test('one that is switched off is not asked, stays off after a restart, and is asked again when switched on', async () => {
    const asked = (): number => upstream.asked('searxng').length;
    const off = await client.act('/admin/sources', { do: 'off', name: 'searxng' });
    assert.match(off.text, /searxng is off\./);
    assert.match(rowOf(off.text, 'searxng'), /switched off/);
    const before = asked();
    await search('where do dunlins winter');
    assert.equal(asked(), before);
    const listed = (await app.get('/v1/sources')).json.sources.find(
      ({ name }: { name: string }) => name === 'searxng',
    );
    assert.deepEqual([listed.state, listed.why], ['off', 'the operator switched it off']);

    await app.close();
    app = await serve();
    client = await signIn(app);
    await search('where do godwits winter');
    assert.equal(asked(), before);
    await client.act('/admin/sources', { do: 'on', name: 'searxng' });
    await search('where do curlews winter');
    assert.equal(asked(), before + 1);
  });

  test('what another process switches is noticed, and kept answers are dropped', async () => {
    const { createSourceSwitches } = await import('../../../src/recall/upstream/create-upstreams.ts');
    const query = 'where do plovers winter';
    await search(query);
    const before = upstream.asked('searxng').length;
    assert.equal((await search(query)).json.results.length > 0, true);
    assert.equal(upstream.asked('searxng').length, before);
    const other = await createSourceSwitches(app.services.store, Date.now);
    await other.set('searxng', 'off');
    await app.services.recall.switches.reread();
    assert.ok(!('searxng' in (await search(query)).json.service.sources));
    await other.set('searxng', 'on');
    await app.services.recall.switches.reread();
  });

  test('only configured sources can be switched', async () => {
    for (const name of ['github', 'index', 'nowhere', '<script>'])
      assert.equal((await client.send('/admin/sources', { do: 'off', name })).status, 422, name);
    const log = (await client.get('/admin/log')).text;
    assert.match(log, /source switched off<\/td><td><span class="address">searxng/);
  });
});
