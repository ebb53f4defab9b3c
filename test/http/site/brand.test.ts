import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createWebsite } from '../../../src/http/site/shell/site.ts';
import { openSiteFixture, type SiteFixture } from '../../fixtures/site-fixture.ts';

const BROWSER = { accept: 'text/html' };
const TERMS = { keylessPerDay: 25, freeKeys: true, sells: true };
const LOGO = { type: 'image/svg+xml', content: Buffer.from('<svg><script>alert(1)</script></svg>') };

describe("pages in an operator's brand", () => {
  let fixture: SiteFixture;
  before(async () => {
    const site = createWebsite(
      { name: 'Finder & Co', colour: '#ffcc00', pages: new Map(), logo: LOGO },
      TERMS,
    );
    fixture = await openSiteFixture({ site });
  });
  after(() => fixture.close());

  test('have its name, on errors too', async () => {
    for (const path of ['/', '/pricing', '/docs', '/privacy', '/nothing/there']) {
      const { text } = await fixture.served.get(path, BROWSER);
      assert.match(text, /<title>[^<]+ · Finder &amp; Co<\/title>/, path);
      assert.match(text, /<span>Finder &amp; Co<\/span>/, path);
    }
    assert.equal((await fixture.served.get('/')).json.name, 'Finder & Co');
  });

  test('have its colour, made readable', async () => {
    const { text } = await fixture.served.get('/', BROWSER);
    const { text: style } = await fixture.served.get(/\/site\.css\?v=\w+/.exec(text)?.[0] ?? '');
    assert.match(
      style,
      /:root\{--accent:#\w{6}\}@media\(prefers-color-scheme:dark\)\{:root\{--accent:#ffcc00\}\}$/,
    );
    assert.doesNotMatch(style, /--accent:#ffcc00\}@media/);
  });

  test('have its picture, which runs nothing when it is opened by itself', async () => {
    const { text } = await fixture.served.get('/', BROWSER);
    const { headers, text: picture } = await fixture.served.get(/\/logo\?v=\w+/.exec(text)?.[0] ?? '');
    assert.equal(headers.get('content-type'), 'image/svg+xml');
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
    assert.equal(picture, String(LOGO.content));
  });
});
