import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { BREAKING_MODES } from '../../fixtures/model-server.ts';
import { type Served, serveScripted } from '../../harness.ts';
import { factAnswer, QUOTED, SCHEMA, startWritten, WRITTEN, type WrittenFixture } from './written-fixture.ts';

let written: WrittenFixture;
let app: Served;

before(async () => {
  written = await startWritten();
  app = await serveScripted({
    writer: written.writer,
    meter: written.meter,
    search: async () => factAnswer(),
  });
});
beforeEach(() => {
  written.writer.forget();
  written.model.play('right');
});
after(async () => {
  await app.close();
  await written.close();
});

const ROUTES = [
  { what: 'an answer', path: '/v1/answer', body: { query: 'q', stream: true } },
  {
    what: 'a chat completion',
    path: '/pplx/chat/completions',
    body: { messages: [{ role: 'user', content: 'q' }], stream: true },
  },
];

/** Reads the events of a stream, without the mark of its end. */
function readEvents(text: string) {
  const lines = text.split('\n\n').filter((line) => line !== '');
  assert.equal(lines.pop(), 'data: [DONE]');
  const events = lines.map((line) => JSON.parse(line.replace(/^data: /, '')));
  return {
    content: events.map(({ choices: [one] }) => one.delta.content ?? '').join(''),
    last: events.at(-1),
  };
}

for (const { what, path, body } of ROUTES)
  describe(what, () => {
    test('has its proofs in the last event, and its price', async () => {
      const { text, headers } = await app.post(path, body);
      assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
      const { content, last } = readEvents(text);
      assert.equal(content, `${WRITTEN} [1]`);
      assert.equal(last.choices[0].finish_reason, 'stop');
      assert.equal(last.statements[0].text, WRITTEN);
      assert.deepEqual(last.service.writing, { state: 'written', dropped: 0 });
      assert.equal(written.used(), 5);
      assert.equal(written.model.asked()[0]?.stream, true);
    });

    test('comes from the cache like any other', async () => {
      const first = readEvents((await app.post(path, body)).text);
      const second = readEvents((await app.post(path, body)).text);
      assert.equal(second.content, first.content);
      assert.deepEqual(second.last.statements, first.last.statements);
      assert.equal(written.model.asked().length, 1);
      assert.equal(written.used(), 5);
    });

    for (const mode of BREAKING_MODES)
      test(`keeps what was proved when the model ${mode}, and nobody else gets that`, async () => {
        written.model.play(mode);
        const { content, last } = readEvents((await app.post(path, body)).text);
        assert.equal(content, `${WRITTEN} [1]`);
        assert.equal(last.choices[0].finish_reason, 'length');
        assert.equal(last.service.writing.state, 'written');
        assert.deepEqual(last.service.incomplete, ['writing']);
        assert.equal(written.used(), 5);
        assert.equal((await written.writer.state()).today.calls > 0, true);
        written.model.play('right');
        const again = readEvents((await app.post(path, body)).text);
        assert.equal(again.last.choices[0].finish_reason, 'stop');
      });

    test('is the quotation where the model dies before anything is proved', async () => {
      written.model.play('dies');
      const { text, headers } = await app.post(path, body);
      assert.ok(readEvents(text).content.startsWith(QUOTED.text));
      assert.equal(headers.get('x-incomplete'), 'writing');
      assert.equal(written.used(), 1);
    });

    test('ends the call of the model when its client goes away', async () => {
      written.model.play('stalls');
      const leave = new AbortController();
      const response = await fetch(app.address + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: leave.signal,
      });
      const reader = response.body?.getReader();
      const { value } = (await reader?.read()) ?? {};
      // The statement is here while the model still writes.
      assert.match(new TextDecoder().decode(value), /Corvane Light was opened/);
      leave.abort();
      await written.model.left();
    });
  });

test('a value by a schema is sent whole, once it is checked', async () => {
  const { text } = await app.post('/v1/answer', { query: 'q', stream: true, outputSchema: SCHEMA });
  const { content, last } = readEvents(text);
  assert.deepEqual(JSON.parse(content), { opened: '3 May 1871', metres: 54 });
  assert.equal(last.proofs.length, 2);
  assert.equal(written.model.asked()[0]?.stream, false);
});
