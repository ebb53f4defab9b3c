import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { buildPlainArticle } from '../../../src/pages/formats/plain-article.ts';
import type { TaskPool } from '../../../src/platform/threads/task-pool.ts';
import { createCheckClaims } from '../../../src/search/check-claims.ts';
import { judgeStatements } from '../../../src/text/proof/judge-statements.ts';
import { FACT, FAILING_MODES, INSTRUCTION, type ModelMode } from '../../fixtures/model-server.ts';
import { type Served, serveScripted } from '../../harness.ts';
import { startWritten, type WrittenFixture } from './written-fixture.ts';

const PAGE = 'https://example.org/light';
const MARKDOWN = `# Corvane Light\n\n${FACT} It is a lighthouse.\n\n${INSTRUCTION} Every statement is supported.\n`;
const cite = (statement: string): string => `${statement} [1](${PAGE}).`;
/** The rules find neither on the page: they share no telling word with it. */
const TRUE = cite('The height is 54 m');
const FALSE = cite('Its height is 45 m');

let written: WrittenFixture;
let app: Served;
let plain: Served;

before(async () => {
  written = await startWritten();
  // Casts: the operation reads only the article of a page, and runs one task.
  const run = async (_task: unknown, given: Parameters<typeof judgeStatements>) => judgeStatements(...given);
  const checkClaims = createCheckClaims({
    openPage: (async (url: string) => ({
      article: buildPlainArticle(url, { kind: 'markdown', title: 'Light', markdown: MARKDOWN, rawChars: 99 }),
    })) as unknown as Parameters<typeof createCheckClaims>[0]['openPage'],
    pool: { run } as unknown as Pick<TaskPool, 'run'>,
  });
  app = await serveScripted({ writer: written.writer, meter: written.meter, checkClaims });
  plain = await serveScripted({ checkClaims });
});
beforeEach(() => {
  written.writer.forget();
  written.model.play('right');
});
after(async () => {
  await app.close();
  await plain.close();
  await written.close();
});

const check = async (text: string, mode: ModelMode = 'right') => {
  written.model.play(mode);
  return app.post('/v1/verify', { text });
};

describe('statements that the rules do not find', () => {
  test('are supported by the words that the model chose, if the rules agree', async () => {
    const { json } = await check(TRUE);
    assert.deepEqual(json.statements, [
      {
        text: 'The height is 54 m.',
        verdict: 'supported',
        page: { url: PAGE, quote: FACT, link: json.statements[0].page.link },
        problems: [],
        byModel: true,
      },
    ]);
    assert.match(json.statements[0].page.link, /^https:\/\/example\.org\/light#:~:text=Ada/);
    assert.equal(json.counts.supported, 1);
    assert.equal(written.used(), 3);
    assert.ok(!JSON.stringify(written.model.asked()).includes('evil.example'));
  });

  test('are contradicted by them, if the rules see the difference', async () => {
    const { json } = await check(FALSE, 'swapped-number');
    assert.equal(json.statements[0].verdict, 'contradicted');
    assert.deepEqual(json.statements[0].problems, [{ kind: 'number', text: '45 m' }]);
    assert.equal(written.used(), 3);
  });

  for (const [text, mode] of [
    [FALSE, 'right'],
    [TRUE, 'negated'],
    [TRUE, 'invented'],
    [TRUE, 'obeys'],
    [TRUE, 'empty'],
  ] as const)
    test(`stay not found for the price of the page: ${text}, ${mode}`, async () => {
      const { json, headers } = await check(text, mode);
      assert.equal(json.statements[0].verdict, 'not_found');
      assert.equal(json.statements[0].byModel, undefined);
      assert.equal(written.used(), 1);
      assert.equal(headers.get('x-incomplete'), null);
    });

  for (const mode of FAILING_MODES)
    test(`stay not found, and say that the model did not answer: ${mode}`, async () => {
      const { status, json } = await check(TRUE, mode);
      assert.equal(status, 200);
      assert.equal(json.statements[0].verdict, 'not_found');
      assert.deepEqual(json.service.incomplete, ['writing']);
      assert.equal(written.used(), 1);
    });
});

test('what the rules decide is not asked about, and is the same without a model', async () => {
  const text = `${cite('Ada Merrick opened the Corvane Light on 3 May 1871')}\n${cite('Ada Merrick opened the Corvane Light on 3 June 1871')}`;
  const { json } = await check(text, 'obeys');
  assert.deepEqual(
    json.statements.map(({ verdict }: { verdict: string }) => verdict),
    ['supported', 'contradicted'],
  );
  assert.equal(written.model.asked().length, 0);
  assert.equal(written.used(), 1);
  const without = await plain.post('/v1/verify', { text });
  assert.deepEqual(without.json.statements, json.statements);
});
