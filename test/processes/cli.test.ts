import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Ended, runCli } from './run-cli.ts';

const page = (title: string, text: string, links: string[]): string =>
  `<title>${title}</title><main><h1>${title}</h1><p>${text} ${text}</p>${links.map((link) => `<p><a href="${link}">See also ${link}</a></p>`).join('')}</main>`;

describe('the command line', () => {
  let web: FakeWeb;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-cli-'));
    web = await startWeb({
      routes: {
        '/': page('Shore birds', 'A manual of the birds that live between the tide marks.', [
          '/knot',
          '/avocet',
          '/gone',
        ]),
        '/knot': page('Red knot', 'The red knot winters on mudflats in large flocks of many thousands.', [
          '/',
        ]),
        '/avocet': page('Avocet', 'The avocet sweeps its upturned bill through shallow water to feed.', [
          '/knot',
        ]),
      },
    });
  });
  after(async () => {
    await web.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (args: string[], settings: Record<string, string> = {}): Promise<Ended> =>
    runCli(folder, args, { RECALL: 'index', FETCH_ALLOW_PRIVATE: '127.0.0.0/8', ...settings });

  test('searching an empty index says how to fill it', async () => {
    const { code, out } = await run(['search', 'knot']);
    assert.equal(code, 1);
    assert.match(out, /The local index is empty\. Fill it: sanderling crawl/);
  });

  test('crawl indexes the site and names what failed', async () => {
    const { code, out } = await run(['crawl', web.origin]);
    assert.equal(code, 0);
    assert.match(out, /3 pages in the index, 3 of them new/);
    assert.match(out, /failed http_404: 1, for example .*\/gone/);
  });

  test('the same crawl again has nothing left to do', async () => {
    const before = web.hits('/knot');
    const { out } = await run(['crawl', web.origin]);
    assert.match(out, /3 pages in the index/);
    assert.ok(web.hits('/knot') <= before + 1);
  });

  test('search finds the page; --json prints the answer as JSON', async () => {
    const { code, out } = await run(['search', 'what', 'does', 'the', 'avocet', 'feed', 'on']);
    assert.equal(code, 0);
    assert.match(out, /^1\. Avocet\n {3}http:\/\/127\.10\.0\.1:\d+\/avocet {2}0\.\d\d\n/);
    const { results } = JSON.parse((await run(['search', 'avocet', '--json', '-n', '1'])).out);
    assert.equal(results.length, 1);
  });

  test('read prints Markdown; an address that is not public is one clear line', async () => {
    const { out } = await run(['read', `${web.origin}/knot`]);
    assert.match(out, /^# Red knot\n\nThe red knot winters/);
    const { code, err } = await run(['read', 'http://10.0.0.1/']);
    assert.equal(code, 1);
    assert.match(err, /^url_not_allowed: .+\n$/);
  });

  test('doctor passes on a sound installation and names an invalid setting', async () => {
    const sound = await run(['doctor']);
    assert.equal(sound.code, 0, sound.out);
    assert.match(sound.out, /ok +index +3 pages of 1 host, all tables agree/);
    assert.match(sound.out, /(?:ok|off) +wikipedia +\w/);
    assert.match(sound.out, /off +brave +\w/);
    const recall = await run(['doctor'], { RECALL: 'index,google' });
    assert.match(recall.out, /FAILURE settings +RECALL: there is no source "google"/);
    const invalid = await run(['doctor'], { FETCH_ALLOW_PRIVATE: 'everything' });
    assert.equal(invalid.code, 1);
    assert.match(invalid.out, /FAILURE settings +FETCH_ALLOW_PRIVATE: must be a comma list of CIDRs/);
  });

  test('an invalid setting, an unknown command and an invalid number exit with 1 and say what to write', async () => {
    const setting = await run(['search', 'x'], { PORT: 'http' });
    assert.equal(setting.code, 1);
    assert.match(setting.err, /^Setting PORT: must be a port number\n$/);
    assert.match((await run(['fetch'])).err, /unknown command 'fetch'/);
    assert.match((await run(['crawl', web.origin, '--pages', 'many'])).err, /It must be a whole number/);
  });
});
