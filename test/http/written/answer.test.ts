import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { SearchRequest } from '../../../src/search/search-types.ts';
import { FACT, FAILING_MODES, WRONG_MODES } from '../../fixtures/model-server.ts';
import { type Served, serveScripted } from '../../harness.ts';
import { factAnswer, QUOTED, SCHEMA, startWritten, WRITTEN, type WrittenFixture } from './written-fixture.ts';

let written: WrittenFixture;
let app: Served;
let asked: SearchRequest[] = [];

before(async () => {
  written = await startWritten();
  app = await serveScripted({
    writer: written.writer,
    meter: written.meter,
    search: async (request) => {
      asked.push(request);
      return factAnswer();
    },
  });
});
beforeEach(() => {
  asked = [];
  written.writer.forget();
  written.model.play('right');
});
after(async () => {
  await app.close();
  await written.close();
});

const ask = (body: object = {}) => app.post('/v1/answer', { query: 'who opened the light?', ...body });

describe('200: a written answer', () => {
  test('has the statements that were proved, with their quotations, and its price', async () => {
    const { status, json, text } = await ask();
    assert.equal(status, 200, text);
    assert.equal(json.answer, `${WRITTEN} [1]`);
    assert.deepEqual(json.statements, [
      {
        text: WRITTEN,
        proved: true,
        citations: [{ source: 1, url: QUOTED.url, quote: FACT, link: json.statements[0].citations[0].link }],
      },
    ]);
    assert.match(json.statements[0].citations[0].link, /#:~:text=Ada/);
    assert.equal(json.citations[0].url, QUOTED.url);
    assert.deepEqual(json.service.writing, { state: 'written', dropped: 0 });
    assert.equal(json.service.incomplete, undefined);
    assert.deepEqual(json.costDollars, { total: 0.005 });
    assert.equal(written.used(), 5);
  });

  test('keeps pages out of the instructions, and orders to a model out of both', async () => {
    await ask({ systemPrompt: 'Answer in one sentence.' });
    const [request] = written.model.asked();
    assert.equal(request?.model, 'scripted');
    const [system, user] = request?.messages ?? [];
    assert.equal(system?.role, 'system');
    assert.match(system?.content ?? '', /Answer in one sentence\./);
    assert.ok(!system?.content.includes('Merrick'));
    assert.match(user?.content ?? '', /<passage number="\d" title="Corvane Light"/);
    assert.ok(!user?.content.includes('evil.example'));
  });

  test('is cached for the same question, passages and model, for the same price', async () => {
    await ask();
    await ask();
    assert.equal(written.model.asked().length, 1);
    assert.equal(written.used(), 5);
  });

  test('partly: what broke off is left out', async () => {
    written.model.play('partial');
    assert.equal((await ask()).json.answer, `${WRITTEN} [1]`);
  });

  test('streams in the framing of chat completions, piece by piece', async () => {
    const { text, headers } = await ask({ stream: true });
    assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
    const events = text.split('\n\n').filter((line) => line !== '');
    assert.equal(events.at(-1), 'data: [DONE]');
    assert.equal(JSON.parse(events[0]?.slice(6) ?? '').choices[0].delta.content, `${WRITTEN} [1]`);
    assert.equal(JSON.parse(events[1]?.slice(6) ?? '').citations[0].url, QUOTED.url);
    assert.equal(written.used(), 5);
  });

  test('is asked for in a weaker JSON mode where the server has no other', async () => {
    written.model.offer();
    assert.equal((await ask()).json.answer, `${WRITTEN} [1]`);
    assert.deepEqual(
      written.model.asked().map((one) => one.response_format?.type),
      ['json_schema', 'json_object', undefined],
    );
    written.model.offer('json_schema', 'json_object');
  });
});

describe('200: the quotation, for the price of a search', () => {
  for (const mode of [...WRONG_MODES, 'empty' as const])
    test(`when the model's reply is ${mode}`, async () => {
      written.model.play(mode);
      const { json } = await ask();
      assert.equal(json.answer, QUOTED.text);
      assert.equal(json.statements, undefined);
      assert.equal(json.service.writing.state, 'nothing');
      assert.equal(json.service.incomplete, undefined);
      assert.ok(!JSON.stringify(json).includes('evil.example'));
      assert.deepEqual(json.costDollars, { total: 0.001 });
      // One retry with the failures named.
      assert.equal(written.model.asked().length, mode === 'empty' ? 1 : 2);
    });

  for (const mode of FAILING_MODES)
    test(`when the model ${mode}`, async () => {
      written.model.play(mode);
      const { status, json } = await ask();
      assert.equal(status, 200);
      assert.equal(json.answer, QUOTED.text);
      assert.equal(json.service.writing.state, { hangs: 'late', 429: 'busy' }[mode as string] ?? 'failed');
      assert.deepEqual(json.service.incomplete, ['writing']);
      assert.deepEqual(json.costDollars, { total: 0.001 });
    });

  test('when only a quotation is asked for', async () => {
    const { json } = await ask({ grounding: 'quoted' });
    assert.equal(json.answer, QUOTED.text);
    assert.equal(json.service.writing, undefined);
    assert.equal(asked[0]?.contents, null);
    assert.equal(written.model.asked().length, 0);
  });
});

describe('the start page', () => {
  const browser = { accept: 'text/html' };

  test('shows the sentences with their numbered sources', async () => {
    const { status, text } = await app.get('/?do=answer&q=who+opened+it', browser);
    assert.equal(status, 200);
    assert.match(text, /<p class="written">The Corvane Light was opened by Ada Merrick on May 3, 1871\./);
    assert.match(text, /<a href="#source-1"><span class="hidden">Source <\/span>\[1\]<\/a>/);
    assert.match(text, /<li class="hit" id="source-1">/);
    assert.match(text, /3 May 1871/);
  });

  test('shows the quotation where nothing is proved, and searches on where there is none', async () => {
    written.model.play('invented');
    const { text } = await app.get('/?do=answer&q=who+opened+it', browser);
    assert.match(text, /Quoted word for word\./);
    assert.match(text, /It is a lighthouse\./);
    const plain = await serveScripted({ search: async () => factAnswer({ answer: null }) });
    const { text: none } = await plain.get('/?do=answer&q=what+else', browser);
    await plain.close();
    assert.match(none, /No page answers it well enough/);
    assert.match(none, /href="\/\?q=what\+else"/);
  });
});

test('marked keeps what is not proved, as such', async () => {
  written.model.play('swapped-number');
  const { json } = await ask({ grounding: 'marked' });
  assert.equal(json.answer, 'The Corvane Light is 45 m tall. (unproved)');
  assert.deepEqual(json.statements, [
    { text: 'The Corvane Light is 45 m tall.', proved: false, citations: [] },
  ]);
  assert.deepEqual(json.service.writing, { state: 'written', dropped: 1 });
  // Nothing was proved, so it costs what a quotation does.
  assert.equal(written.used(), 1);
});

describe('a value by a schema', () => {
  test('has proofs for each field', async () => {
    const { json } = await ask({ outputSchema: SCHEMA });
    assert.deepEqual(json.answer, { opened: '3 May 1871', metres: 54 });
    assert.deepEqual(
      json.proofs.map(({ path }: { path: string }) => path),
      ['/opened', '/metres'],
    );
    assert.deepEqual(json.unproved, []);
    assert.equal(written.used(), 5);
  });

  test('has null and a reason for a field that is not proved', async () => {
    written.model.play('swapped-number');
    const { json } = await ask({ output_schema: SCHEMA });
    assert.deepEqual(json.answer, { opened: '3 May 1871', metres: null });
    assert.deepEqual(json.unproved, [
      { path: '/metres', reason: 'this number is not in its quotations: 45' },
    ]);
  });

  for (const mode of ['invented', 'obeys'] as const)
    test(`is the quotation when nothing is left: ${mode}`, async () => {
      written.model.play(mode);
      const { json } = await ask({ outputSchema: SCHEMA });
      assert.equal(json.answer, QUOTED.text);
      assert.equal(json.service.writing.state, 'nothing');
      assert.equal(written.used(), 1);
    });
});

test('without a model the fields that need one have no effect', async () => {
  const plain = await serveScripted({ search: async () => factAnswer() });
  const { json, headers } = await plain.post('/v1/answer', {
    query: 'q',
    outputSchema: SCHEMA,
    systemPrompt: 'x',
  });
  await plain.close();
  assert.equal(json.answer, QUOTED.text);
  assert.equal(headers.get('x-ignored-parameters'), 'outputSchema, systemPrompt');
});
