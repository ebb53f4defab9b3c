import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { REQUEST_BYTES_MAX, UPLOAD_BYTES_MAX } from '../../../src/contract/limits.ts';
import { zipOf } from '../../fixtures/zip.ts';
import { type RealServed, serveReal } from '../../harness.ts';

const TEXT = '# Waders\n\nThey run along the edge of the waves all day long.\n';
const MAIL = `From: ann@example.org\r\nSubject: Waders\r\nContent-Type: text/plain\r\n\r\nThey run along the edge of the waves all day long.\r\n`;
const DOCUMENT =
  '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>They run along the edge of the waves.</w:t></w:r></w:p></w:body></w:document>';
type Bytes = string | Uint8Array<ArrayBuffer>;
type Body = Bytes | FormData;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('files as bodies', () => {
  let served: RealServed;
  before(async () => {
    served = await serveReal({ METERING: 'off' });
  });
  after(() => served.close());

  const send = async (path: string, body: Body) => {
    const response = await fetch(served.address + path, { method: 'POST', body });
    return { status: response.status, json: JSON.parse(await response.text()) };
  };
  const toForm = (name: string, bytes: Bytes, fields: Record<string, string> = {}): FormData => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    form.append('file', new Blob([bytes]), name);
    return form;
  };

  describe('POST /v1/parse', () => {
    test('reads the body itself, a form, and JSON', async () => {
      for (const body of [
        TEXT,
        toForm('waders.md', TEXT),
        JSON.stringify({ file: base64(TEXT), filename: 'waders.md' }),
      ]) {
        const { status, json } = await send('/v1/parse', body);
        assert.equal(status, 200, JSON.stringify(json));
        assert.match(json.markdown, /They run along the edge of the waves/);
      }
    });

    test('reads Office files, tables and mail, by their bytes or their names', async () => {
      const files: [name: string, bytes: Bytes, markdown: RegExp][] = [
        ['report', zipOf({ 'word/document.xml': DOCUMENT }), /They run along the edge/],
        ['table.csv', 'bird,legs\nwader,2\n', /\| wader +\| 2 +\|/],
        ['letter.eml', MAIL, /They run along the edge/],
      ];
      for (const [name, bytes, markdown] of files) {
        const { json } = await send('/v1/parse', toForm(name, bytes));
        assert.match(json.markdown, markdown, JSON.stringify(json));
      }
    });

    test('the type of a body says what it is, and a title is never made up', async () => {
      const ask = async (type: string, body: string): Promise<{ title: string; markdown: string }> => {
        const headers = { 'content-type': type };
        const response = await fetch(`${served.address}/v1/parse`, { method: 'POST', headers, body });
        return (await response.json()) as { title: string; markdown: string };
      };
      const page =
        '<title>Waders</title><main><h1>Waders</h1><p>They run along the edge of the waves.</p></main>';
      const html = await ask('text/html', page);
      assert.equal(html.title, 'Waders');
      assert.doesNotMatch(html.markdown, /<p>/);
      assert.equal((await ask('text/markdown', '# Waders\n\nThey run.\n')).title, 'Waders');
      assert.equal((await ask('application/x-www-form-urlencoded', 'They run along the edge.')).title, '');
    });

    test('prunes to a question', async () => {
      const long = `${TEXT}\n${'## Tides\n\nThe moon pulls the sea twice a day.\n\n'.repeat(60)}`;
      const { json } = await send('/v1/parse', toForm('a.md', long, { q: 'edge of the waves' }));
      assert.ok(json.tokens.output < json.tokens.raw, JSON.stringify(json.tokens));
    });

    test('takes larger bodies than other routes, and no larger ones', async () => {
      const large = `${TEXT}${'They run. '.repeat(REQUEST_BYTES_MAX / 8)}`;
      assert.equal((await send('/v1/parse', large)).status, 200);
      assert.equal((await send('/v1/search', large)).status, 413);
      const { status, json } = await send('/v1/parse', 'x'.repeat(UPLOAD_BYTES_MAX + 1));
      assert.equal(status, 413);
      assert.match(JSON.stringify(json), /larger than 16 MB/);
    });

    const REFUSED: [what: string, body: Body, why: RegExp][] = [
      ['an empty body', '', /file/],
      ['a form without a file', '{"q":"waves"}', /file/],
      [
        'a form that breaks off',
        '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nThey',
        /whole form/,
      ],
      ['a form of many parts', buildParts(30), /at most 20 parts/],
      ['a program', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1]), /cannot be read/],
    ];
    for (const [what, body, why] of REFUSED)
      test(`${what} is 422`, async () => {
        const { status, json } = await send('/v1/parse', body);
        assert.equal(status, 422, JSON.stringify(json));
        assert.match(JSON.stringify(json), why);
      });

    test('nothing of a file is found afterwards', async () => {
      await send('/v1/parse', toForm('a.md', '# Avocet\n\nAn avocet sweeps its bill through the mud.\n'));
      const { text } = await served.post('/v1/search', { query: 'avocet sweeps its bill' });
      assert.doesNotMatch(text, /mud/);
    });
  });

  describe('POST /v2/parse', () => {
    test('takes the options of a form, and names those without effect', async () => {
      const options = JSON.stringify({ formats: ['markdown', 'html'], origin: 'js-sdk' });
      const page =
        '<title>Waders</title><main><h1>Waders</h1><p>They run along the edge of the waves.</p></main>';
      const { status, json } = await send('/v2/parse', toForm('page.html', page, { options }));
      assert.equal(status, 200, JSON.stringify(json));
      assert.match(json.data.markdown, /They run along the edge/);
      assert.match(json.data.html, /<p>They run/);
      assert.equal(json.data.metadata.title, 'Waders');
    });

    test('options that are no JSON are refused', async () => {
      const { status, json } = await send('/v2/parse', toForm('a.md', TEXT, { options: '{' }));
      assert.ok(status >= 400 && status < 500 && json.success === false, JSON.stringify(json));
    });
  });
});

function buildParts(count: number): string {
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n';
  return `${part.repeat(count)}--b--`;
}
