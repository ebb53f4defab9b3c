import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from './config.ts';
import { readBranding } from './read-branding.ts';

const folder = mkdtempSync(join(tmpdir(), 'sanderling-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const lookWith = (name: string, content: string | Buffer | null): ReturnType<typeof readBranding> => {
  const path = join(folder, name);
  if (content !== null) writeFileSync(path, content);
  return readBranding(readConfig({ BRAND_NAME: ' Finder ', BRAND_COLOR: '#A03060', BRAND_LOGO: path }));
};

test('the name, the colour and the picture of the settings', () => {
  const { name, colour, logo } = lookWith('logo.svg', '<svg/>');
  assert.deepEqual(
    [name, colour, logo?.type, String(logo?.content)],
    ['Finder', '#A03060', 'image/svg+xml', '<svg/>'],
  );
  assert.deepEqual(readBranding(readConfig({})), {
    name: 'Sanderling',
    colour: null,
    logo: null,
    pages: new Map(),
  });
});

test('a picture that cannot be used is refused by name', () => {
  assert.throws(() => lookWith('logo.gif', 'GIF'), /BRAND_LOGO: must be an SVG, PNG or WebP file/);
  assert.throws(() => lookWith('missing.png', null), /BRAND_LOGO: .*missing\.png cannot be read/);
  assert.throws(() => lookWith('large.png', Buffer.alloc(65_537)), /BRAND_LOGO: .* larger than 64 KB/);
});

test('the pages of the operator that the folder holds, read once', () => {
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'terms.md'), '# Our terms\r\n\r\nBe kind.');
  writeFileSync(join(site, 'other.md'), '# Not a page');
  const { pages } = readBranding(readConfig({ SITE_DIR: site }));
  assert.deepEqual([...pages], [['terms', '# Our terms\n\nBe kind.']]);
  writeFileSync(join(site, 'contact.md'), 'x'.repeat(262_145));
  assert.throws(
    () => readBranding(readConfig({ SITE_DIR: site })),
    /SITE_DIR: .*contact\.md is larger than 256 KB/,
  );
  assert.throws(
    () => readBranding(readConfig({ SITE_DIR: join(folder, 'no') })),
    /SITE_DIR: there is no folder/,
  );
});
