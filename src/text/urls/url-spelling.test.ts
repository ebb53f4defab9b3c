import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import { toCanonicalUrl } from './url-spelling.ts';

/** Groups of spellings: all of a row are one page, and no two rows are. */
const PAGES: string[][] = [
  [
    'https://example.com/',
    'http://example.com',
    'HTTP://EXAMPLE.COM:80/',
    'https://example.com:443/',
    'https://www.example.com',
    'https://m.example.com/',
    'https://amp.example.com/',
    'https://example.com./',
    'https://example.com/#top',
    'https://example.com/index.html',
    'https://example.com/index.php',
    'https://example.com/default.aspx',
    'https://example.com/?utm_source=x&utm_medium=y',
    'https://example.com/?fbclid=abc',
    'https://example.com//',
  ],
  ['https://example.com:8443/'],
  [
    'https://example.com/a/b',
    'https://example.com/a/b/',
    'https://example.com/a//b',
    'https://example.com/a/./b',
    'https://example.com/a/c/../b',
    'https://example.com/%61/b',
    'https://example.com/a/b?gclid=1&mc_cid=2&igshid=3&_ga=4',
    'https://example.com/a/b;jsessionid=AF01',
    'https://example.com/a/b?PHPSESSID=9',
    'https://example.com/a/b/amp',
    'https://example.com/a/b/amp/',
    'https://example.com/a/b?amp=1',
    'https://example.com/a/b?outputType=amp',
    'https://www.google.com/amp/s/example.com/a/b',
    'https://example-com.cdn.ampproject.org/c/s/example.com/a/b',
    'https://example.com/a/b#:~:text=word',
    'https://example.com/a/b?ref=nav',
    'https://example.com/a/b?source=rss----1234',
  ],
  ['https://example.com/A/b'],
  ['https://example.com/a/b#!/page'],
  ['https://example.com/a/b?source=3'],
  ['https://example.com/news.html', 'https://example.com/news.amp.html'],
  ['https://example.com/?b=2&a=1', 'https://example.com/?a=1&b=2', 'https://example.com/?a=1&b=2&utm_id=7'],
  ['https://example.com/?a=2&b=1'],
  ['https://example.com/%E4%BD%A0', 'https://example.com/你', 'https://example.com/%e4%bd%a0'],
  ['https://bücher.de/x', 'https://xn--bcher-kva.de/x', 'https://BÜCHER.de/x/'],
  ['https://m.com/'],
  ['https://amp.dev/about'],
  [
    'https://arxiv.org/abs/2401.12345',
    'https://arxiv.org/abs/2401.12345v2',
    'https://arxiv.org/pdf/2401.12345',
    'https://arxiv.org/pdf/2401.12345v3.pdf',
    'https://arxiv.org/html/2401.12345v1',
    'http://export.arxiv.org/abs/2401.12345',
    'https://ar5iv.labs.arxiv.org/html/2401.12345',
    'https://doi.org/10.48550/arXiv.2401.12345',
  ],
  ['https://arxiv.org/abs/hep-th/9901001', 'https://arxiv.org/pdf/hep-th/9901001v2'],
  ['https://arxiv.org/list/cs.IR/recent'],
  [
    'https://doi.org/10.1000/ABC.1',
    'http://dx.doi.org/10.1000/abc.1',
    'https://www.doi.org/10.1000/abc.1',
    'https://doi.org/10.1000%2Fabc.1',
  ],
  [
    'https://github.com/Owner/Repo/blob/main/src/a.ts',
    'https://github.com/owner/repo/raw/main/src/a.ts',
    'https://raw.githubusercontent.com/owner/repo/main/src/a.ts',
    'https://raw.githubusercontent.com/owner/repo/refs/heads/main/src/a.ts',
    'https://github.com/owner/repo/blob/main/src/a.ts#L10-L20',
    'https://github.com/owner/repo/blob/main/src/a.ts?plain=1',
  ],
  ['https://github.com/owner/repo/blob/main/src/A.ts'],
  ['https://github.com/owner/repo', 'https://github.com/Owner/Repo.git', 'https://github.com/owner/repo/'],
  ['https://github.com/owner/repo/issues?q=is%3Aopen'],
  ['https://gitlab.com/g/p/-/blob/main/a.c', 'https://gitlab.com/g/p/-/raw/main/a.c?inline=false'],
  [
    'https://en.wikipedia.org/wiki/Red_knot',
    'https://en.m.wikipedia.org/wiki/Red_knot',
    'https://en.wikipedia.org/wiki/red_knot',
    'https://en.wikipedia.org/wiki/Red%20knot',
    'https://en.wikipedia.org/w/index.php?title=Red_knot',
    'https://en.wikipedia.org/wiki/Red_knot#Diet',
  ],
  ['https://en.wikipedia.org/wiki/Red_Knot'],
  ['https://de.wikipedia.org/wiki/Red_knot'],
  ['https://en.wikipedia.org/wiki/Caf%C3%A9', 'https://en.wikipedia.org/wiki/Café'],
  ['https://en.wikipedia.org/w/index.php?title=Red_knot&action=history'],
  [
    'https://stackoverflow.com/questions/11227809/why-is-it-faster',
    'https://stackoverflow.com/q/11227809',
    'https://stackoverflow.com/questions/11227809/why/11227902#11227902',
  ],
  ['https://unix.stackexchange.com/questions/1/a', 'https://unix.stackexchange.com/q/1/33'],
  [
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://youtu.be/dQw4w9WgXcQ?si=abc',
    'https://m.youtube.com/watch?v=dQw4w9WgXcQ&feature=share&t=10',
    'https://www.youtube.com/embed/dQw4w9WgXcQ',
  ],
  ['https://www.npmjs.com/package/undici', 'https://npmjs.org/package/undici'],
  ['https://old.reddit.com/r/birds/', 'https://www.reddit.com/r/birds'],
  [
    'https://a.cdn.ampproject.org/c/arXiv.2401.12345',
    'http://a.cdn.ampproject.org/c/arXiv.2401.12345?utm_campaign=z',
  ],
];

describe('canonicalUrl', () => {
  for (const [first = '', ...others] of PAGES) {
    for (const other of others)
      test(`${other} is ${first}`, () => assert.equal(toCanonicalUrl(other), toCanonicalUrl(first)));
  }
  test('no two pages of the table are one', () => {
    const keys = PAGES.map(([first = '']) => toCanonicalUrl(first));
    assert.equal(new Set(keys).size, keys.length);
    assert.ok(PAGES.flat().length >= 80, String(PAGES.flat().length));
  });
  test('a text that is not a web address is unchanged', () => {
    for (const text of ['', 'not an address', 'mailto:a@b.org', 'ftp://example.com/a'])
      assert.equal(toCanonicalUrl(text), text);
  });

  /** Far beyond a slow machine, and far below what backtracking over so much text would take. */
  const BACKTRACKING_MS = 10_000;

  test('eight kilobytes of anything cost next to nothing', () => {
    const units = [
      '/',
      '_',
      '.',
      '%41',
      '/amp',
      '.amp',
      'a=',
      'utm_a&',
      'index.html/',
      ';sid=',
      '%2F',
      '/c/s/',
      '-/',
    ];
    const ms = cpuMsOf(() => {
      for (const host of ['example.com', 'en.wikipedia.org', 'github.com', 'doi.org', 'gitlab.com'])
        for (const unit of units) {
          const run = unit.repeat(Math.floor(8_000 / unit.length));
          for (const path of [`${run}x`, `wiki/${run}`, `?${run}`, `-/blob/${run}/-/blob`])
            toCanonicalUrl(`https://${host}/${path}`);
        }
    });
    assert.ok(ms < BACKTRACKING_MS, `${ms} ms`);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      'amp',
      'index.html',
      'wiki',
      'abs',
      'pdf',
      'blob',
      'raw',
      'c',
      's',
      'q',
      'questions',
      '-',
      '..',
      '%2F',
      '%41',
      'a.amp.html',
      'example.org',
      '2401.12345v2',
      '10.48550',
      'arXiv.2401.12345',
      'watch',
      'embed',
      'refs',
      'heads',
      '%',
      ';sid=1',
      '',
      '_',
      '__a_',
      'x.git',
      'İ',
      'ß',
    ),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  );
  const host = fc.oneof(
    fc.constantFrom(
      'example.com',
      'www.www.example.com',
      'm.amp.www.example.co.uk',
      'en.m.wikipedia.org',
      'github.com',
      'raw.githubusercontent.com',
      'arxiv.org',
      'doi.org',
      'dx.doi.org',
      'www.google.com',
      'a.cdn.ampproject.org',
      'stackoverflow.com',
      'youtu.be',
      'youtube.com',
      'twitter.com',
      '[::1]',
      '127.0.0.1',
      'www.m',
      'mobile.example.m.org',
    ),
    fc.domain(),
  );
  const query = fc.array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom('utm_source', 'a', 'title', 'v', 'amp', 'source'),
        fc.string({ maxLength: 4 }),
      ),
      piece,
    ),
    { maxLength: 4 },
  );
  const address = fc
    .tuple(
      fc.constantFrom('http', 'https'),
      host,
      fc.array(piece, { maxLength: 6 }),
      query,
      fc.constantFrom('', '#x', '#!/y'),
    )
    .map(
      ([scheme, name, path, pairs, hash]) =>
        `${scheme}://${name}/${path.join('/')}?${new URLSearchParams(pairs)}${hash}`,
    );

  test('twice is once, and the result is an address again', () => {
    fc.assert(
      fc.property(address, (text) => {
        const once = toCanonicalUrl(text);
        assert.equal(toCanonicalUrl(once), once);
        if (URL.canParse(text)) assert.ok(URL.canParse(once), once);
      }),
      { numRuns: 5_000 },
    );
  });
  const plainPiece = piece.map((text) => text.replaceAll(/[?#]/g, ''));
  test('scheme, order of parameters and tracking make no difference', () => {
    fc.assert(
      fc.property(host, fc.array(plainPiece, { maxLength: 4 }), query, (name, path, pairs) => {
        const base = `${name}/${path.join('/')}`;
        const one = toCanonicalUrl(`https://${base}?${new URLSearchParams(pairs)}`);
        const other = toCanonicalUrl(
          `http://${base}?${new URLSearchParams([['utm_campaign', 'z'], ...pairs.toReversed()])}`,
        );
        if (URL.canParse(`https://${base}`)) assert.equal(one, other);
      }),
      { numRuns: 2_000 },
    );
  });
});
