import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Failure } from '../../../contract/errors.ts';
import { readEml } from './eml.ts';

const ADDRESS = 'https://e.org/a';
const eml = (lines: string[]) => readEml(Buffer.from(lines.join('\r\n')), ADDRESS);

describe('readEml', () => {
  test('headers, the HTML rather than the plain part, and what is attached', async () => {
    const article = await eml([
      'From: =?utf-8?q?Ad=C3=A9le?= <a@e.org>',
      'To: Bo <b@e.org>, c@e.org',
      'Date: Wed, 31 Jan 2024 10:00:00 +0100',
      'Subject: Birds',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: multipart/alternative; boundary=y',
      '',
      '--y',
      'Content-Type: text/plain',
      '',
      'plain',
      '--y',
      'Content-Type: text/html; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<p>See <a href=3D"https://b.org/">caf=E9</a></p>',
      '--y--',
      '--x',
      'Content-Type: text/csv; name="t.csv"',
      'Content-Disposition: attachment; filename="t.csv"',
      'Content-Transfer-Encoding: base64',
      '',
      'YSxi',
      '--x--',
    ]);
    assert.equal(
      article.markdown,
      '# Birds\n\nFrom: Adéle \\<a@e.org>\\\nTo: Bo \\<b@e.org>, c@e.org\\\nDate: 2024-01-31\n\nSee [café](https://b.org/)\n\nAttached:\n\n- t.csv (text/csv, 3 bytes)',
    );
    assert.deepEqual(
      [article.title, article.author, article.published],
      ['Birds', 'Adéle', { day: '2024-01-31', from: 'meta' }],
    );
  });

  test('plain text keeps its lines and its quotations', async () => {
    const { markdown } = await eml([
      'From: a@e.org',
      'Subject: S',
      '',
      'one',
      'two',
      '',
      '> said',
      '> before',
    ]);
    assert.match(markdown, /one\\\ntwo\n\n> said\\\n> before$/);
  });

  test('a saved page is read as the page that it was', async () => {
    const article = await eml([
      'From: <Saved by Blink>',
      'Snapshot-Content-Location: https://b.org/birds/',
      'Subject: The page',
      'MIME-Version: 1.0',
      'Content-Type: multipart/related; type="text/html"; boundary=x',
      '',
      '--x',
      'Content-Type: text/html',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<title>Birds</title><p>Words of the page, with <a href=3D"x">a link</a> to more of them.</p>',
      '--x--',
    ]);
    assert.equal(article.title, 'Birds');
    assert.match(article.markdown, /\[a link\]\(https:\/\/b\.org\/birds\/x\)/);
  });

  test('messages within messages beyond the bound are refused, or read as far as it goes', async () => {
    const deep = Array.from({ length: 200 }, (_, at) => [
      `Content-Type: multipart/mixed; boundary=b${at}`,
      '',
      `--b${at}`,
    ]).flat();
    const outcome = await eml(['From: a@e.org', 'Subject: deep', ...deep, '', 'x']).catch(
      (error: Failure) => error.fetch?.reason,
    );
    assert.ok(outcome === 'undecodable' || (typeof outcome === 'object' && outcome.title === 'deep'));
  });
});
