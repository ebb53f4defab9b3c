import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startModelServer } from '../../fixtures/model-server.ts';
import { serveReal } from '../../harness.ts';
import { signIn, TOKEN } from './console-client.ts';

describe('the model in the console', () => {
  test('its state, its replies and what was spent today', async (t) => {
    const model = await startModelServer();
    const app = await serveReal({ ADMIN_TOKEN: TOKEN, MODEL_URL: model.url, MODEL_NAME: 'scripted' });
    t.after(async () => {
      await app.close();
      await model.close();
    });
    const client = await signIn(app);
    const before = await client.get('/admin/model');
    assert.match(before.text, /<strong>scripted<\/strong> at/);
    assert.match(before.text, /not asked yet/);
    const { writer } = app.services.operations;
    await writer?.writeStatements({
      task: 'q',
      instructions: null,
      passages: [{ url: 'https://example.org/', title: 'A', text: 'It is a lighthouse.' }],
      grounding: 'strict',
      signal: AbortSignal.timeout(60_000),
    });
    const after = await client.get('/admin/model');
    assert.match(after.text, /<span class="badge good">answers<\/span>/);
    assert.match(after.text, /<dt>Calls today<\/dt><dd>2<\/dd>/);
    assert.match(after.text, /<dt>Tokens today<\/dt><dd>200<\/dd>/);
    assert.match((await app.get('/', { accept: 'text/html' })).text, /every sentence was checked/);
  });

  test('there is no page about it where none is set', async (t) => {
    const app = await serveReal({ ADMIN_TOKEN: TOKEN });
    t.after(() => app.close());
    const client = await signIn(app);
    assert.ok(!(await client.get('/admin')).text.includes('/admin/model'));
    assert.equal((await client.get('/admin/model')).status, 404);
  });
});
