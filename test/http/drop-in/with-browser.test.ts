import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { ReadRequest } from '../../../src/search/read.ts';
import { readAnswer, type Served, serveScripted } from '../../harness.ts';

const URL_ = 'https://example.org/page';
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64');

describe('a service with a browser', () => {
  let app: Served;
  let asked: ReadRequest[] = [];
  before(async () => {
    app = await serveScripted({
      rendersPages: true,
      read: async (request) => {
        asked.push(request);
        const answer = readAnswer();
        const screenshot = request.opening?.extras?.screenshot === undefined ? {} : { screenshot: PNG };
        const extras = { extras: { markdown: answer.markdown, ...screenshot } };
        return { ...answer, article: { ...answer.article, readRoute: 'browser' as const }, ...extras };
      },
    });
  });
  after(() => app.close());
  beforeEach(() => {
    asked = [];
  });

  const openings: Record<string, [headers: Record<string, string>, opening: ReadRequest['opening']]> = {
    'X-Engine: browser': [{ 'X-Engine': 'browser' }, { engine: 'browser' }],
    'its name of one host': [{ 'X-Engine': 'cf-browser-rendering' }, { engine: 'browser' }],
    'X-Engine: direct': [{ 'X-Engine': 'direct' }, { engine: 'plain' }],
    'X-Wait-For-Selector': [
      { 'X-Wait-For-Selector': '#main' },
      { engine: 'browser', waiting: { selector: '#main' } },
    ],
    'X-Return-Format: screenshot': [
      { 'X-Return-Format': 'screenshot' },
      { engine: 'browser', extras: { selection: null, screenshot: 'viewport' } },
    ],
    'X-Respond-With: pageshot': [
      { 'X-Respond-With': 'pageshot' },
      { engine: 'browser', extras: { selection: null, screenshot: 'page' } },
    ],
    'no header': [{}, {}],
  };
  for (const [what, [headers, opening]] of Object.entries(openings))
    test(`the reader with ${what}`, async () => {
      const answer = await app.get(`/r/${URL_}`, headers);
      assert.equal(answer.status, 200);
      assert.deepEqual(asked[0]?.opening, opening);
      assert.equal(answer.headers.get('x-ignored-parameters'), null);
      assert.equal(answer.headers.get('x-reader-route'), 'browser');
    });

  test('the reader sends a picture as PNG, or its address in JSON', async () => {
    const picture = await app.get(`/r/${URL_}`, { 'X-Return-Format': 'pageshot' });
    assert.equal(picture.headers.get('content-type'), 'image/png');
    const { json } = await app.get(`/r/${URL_}`, {
      'X-Return-Format': 'screenshot',
      accept: 'application/json',
    });
    assert.equal(json.data.screenshotUrl, `data:image/png;base64,${PNG}`);
    assert.equal(json.data.content, undefined);
  });

  const formats: Record<string, [body: Record<string, unknown>, opening: ReadRequest['opening']]> = {
    'a screenshot': [
      { formats: ['markdown', 'screenshot'] },
      { engine: 'browser', extras: { selection: null, screenshot: 'viewport' } },
    ],
    'one of the whole page': [
      { formats: [{ type: 'screenshot', fullPage: true }] },
      { engine: 'browser', extras: { selection: null, screenshot: 'page' } },
    ],
    'the same under its older name': [
      { formats: ['screenshot@fullPage'] },
      { engine: 'browser', extras: { selection: null, screenshot: 'page' } },
    ],
    waitFor: [{ waitFor: 250 }, { engine: 'browser', waiting: { ms: 250 } }],
    'no waiting': [{ waitFor: 0 }, {}],
  };
  for (const [what, [body, opening]] of Object.entries(formats))
    test(`a scrape with ${what}`, async () => {
      const { status, json, headers } = await app.post('/v2/scrape', { url: URL_, ...body });
      assert.equal(status, 200);
      assert.deepEqual(asked[0]?.opening, opening);
      assert.equal(headers.get('x-ignored-parameters'), null);
      const isPicture = opening?.extras?.screenshot !== undefined;
      assert.equal(json.data.screenshot, isPicture ? `data:image/png;base64,${PNG}` : undefined);
    });
});
