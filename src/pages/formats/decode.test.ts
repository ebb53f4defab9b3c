import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decode } from './decode.ts';

const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

describe('decode', () => {
  const cases: [
    what: string,
    bytes: Uint8Array,
    contentType: string | null,
    text: string,
    encoding: string,
  ][] = [
    [
      'a byte order mark before the header',
      Buffer.from('\uFEFFé'),
      'text/html; charset=windows-1251',
      'é',
      'utf-8',
    ],
    [
      'the header before the meta tag',
      latin1('<meta charset=utf-8>\xe9'),
      'text/html; charset="ISO-8859-1"',
      '<meta charset=utf-8>é',
      'windows-1252',
    ],
    ['the meta tag', latin1('<meta charset=koi8-r>\xc1'), 'text/html', '<meta charset=koi8-r>а', 'koi8-r'],
    [
      'an unknown header label, then the XML declaration',
      latin1('<?xml version="1.0" encoding="windows-1251"?><a>\xe4</a>'),
      'text/xml; charset=nonsense',
      '<?xml version="1.0" encoding="windows-1251"?><a>д</a>',
      'windows-1251',
    ],
    [
      'a short table in Shift JIS',
      Buffer.from('91442c92b782b32c8d600d0a82a082f12c31322c89a1956c', 'hex'),
      'text/csv',
      '船,長さ,港\r\nあん,12,横浜',
      'shift_jis',
    ],
    ['words with accents', latin1('na\xefve caf\xe9, \xfcber'), null, 'naïve café, über', 'windows-1252'],
    ['valid UTF-8 without a declaration', Buffer.from('naïve 文字'), null, 'naïve 文字', 'utf-8'],
    [
      'UTF-16 without a mark',
      Buffer.from('<html><p>plain words</p>', 'utf16le'),
      null,
      '<html><p>plain words</p>',
      'utf-16le',
    ],
    ['windows-1252 when nothing tells', latin1('caf\xe9'), null, 'café', 'windows-1252'],
    ['nothing', new Uint8Array(0), null, '', 'utf-8'],
  ];
  for (const [what, bytes, contentType, text, encoding] of cases) {
    test(`reads ${what}`, () => {
      const got = decode(bytes, contentType);
      assert.deepEqual([got.text, got.encoding], [text, encoding]);
    });
  }

  test('recognises single-byte Cyrillic by its letters', () => {
    // "Все счастливые семьи похожи друг на друга, ..." in windows-1251.
    const words =
      'C2F1E520F1F7E0F1F2EBE8E2FBE520F1E5ECFCE820EFEEF5EEE6E820E4F0F3E320EDE020E4F0F3E3E02C20EAE0E6E4E0FF20EDE5F1F7E0F1F2EBE8E2E0FF20F1E5ECFCFF20EDE5F1F7E0F1F2EBE8E2E020EFEE2DF1E2EEE5ECF32E';
    const { text, encoding } = decode(Buffer.from(words, 'hex'), null);
    assert.equal(encoding, 'windows-1251');
    assert.match(text, /^Все счастливые семьи/);
  });
});

describe('decode finds the encoding that a document declares', () => {
  const cases: [html: string, label: string | null][] = [
    ['<meta charset="UTF-8">', 'utf-8'],
    ["<META http-equiv=Content-Type content='text/html; charset=EUC-JP'>", 'euc-jp'],
    ['<meta content="text/html; charset=euc-jp">', null],
    ['<!-- <meta charset=koi8-r> --><meta charset=big5>', 'big5'],
    ['<!--><meta charset=big5>', 'big5'],
    ['<a title="<meta charset=koi8-r>"><meta charset=big5>', 'big5'],
    ['<meta charset=utf-16le>', 'utf-8'],
    ['<meta charset=nonsense><meta charset=gbk>', 'gbk'],
    ['<meta charset=gbk charset=big5>', 'gbk'],
    ['<?php charset=x ?><meta/charset=gbk>', 'gbk'],
    ['<meta charset=gbk', null],
    [`${' '.repeat(1_020)}<meta charset=gbk>`, null],
    ['<metadata charset=gbk>', null],
  ];
  for (const [html, label] of cases)
    test(html.trim(), () => {
      const { encoding, from } = decode(latin1(html), null);
      assert.deepEqual([encoding, from], label === null ? ['utf-8', 'detected'] : [label, 'declared']);
    });
});

test('control characters are left out, white space stays', () => {
  const bytes = Buffer.from('a\0b\u0001c\td\r\ne\u001b');
  assert.equal(decode(bytes, 'text/html; charset=utf-8').text, 'abc\td\r\ne');
  assert.equal(decode(bytes, null).text, 'abc\td\r\ne');
});
