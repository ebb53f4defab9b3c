import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { serveReal } from '../../harness.ts';
import { signIn, TOKEN } from './console-client.ts';

describe('the console without its index', () => {
  test('says so, and shows everything else', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'console-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    // Nothing listens on this port.
    const settings = { INDEX_URL: 'http://127.0.0.1:9/index', RECALL: 'index', LOG_LEVEL: 'silent' };
    const app = await serveReal({ ...settings, ADMIN_TOKEN: TOKEN, DATA_DIR: folder });
    t.after(() => app.close());
    const visitor = await signIn(app);
    const { status, text } = await visitor.get('/admin');
    assert.equal(status, 200, text);
    assert.match(text, /class="problem">.*The index cannot be reached/s);
    assert.match(text, /Pages in the index[\s\S]*–/);
    assert.match(text, /Calls at work/);
    assert.match(text, /The last day/);
    const pages = await visitor.get('/admin/index');
    assert.equal(pages.status, 200, pages.text);
    assert.match(pages.text, /The index at .* does not answer[\s\S]*Find pages/);
  });
});
