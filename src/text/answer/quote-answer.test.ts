import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { AnswerPage, Quotation } from './quotation.ts';
import { bestQuotation, quoteAnswer } from './quote-answer.ts';

const filler = (topic: string): string =>
  `The ${topic} is described in this part of the page at some length, with its habits and its range. `
    .repeat(5)
    .trim();

const page = (markdown: string, title = 'Shore birds', language: string | null = 'en'): AnswerPage => ({
  url: 'https://birds.example/',
  title,
  markdown,
  language,
});

const birds = page(
  [
    '# Shore birds',
    filler('coast'),
    '## Sanderling',
    filler('plumage'),
    'The sanderling breeds in the high Arctic tundra of Greenland and Siberia. It lays four eggs in a scrape on bare ground. Both parents sit on them for about 24 days.',
    '## Curlew',
    filler('long bill'),
  ].join('\n\n'),
);

const fees = page(
  [
    '# Harbour fees',
    filler('harbour'),
    '| Length of ship | Fee in summer | Fee in winter |\n| --- | --- | --- |\n| up to 10 m | 12 | 8 |\n| catamaran | 31 | 19 |\n| 10 to 15 m | 20 | 14 |',
    filler('office'),
  ].join('\n\n'),
  'Harbour fees',
);

const manual = page(
  [
    '# Tern',
    filler('program'),
    '## Install',
    'Install tern with the package manager of your system:',
    '```sh\npackman install tern\n```',
    '## Remove',
    filler('removal'),
  ].join('\n\n'),
  'Tern manual',
);

describe('quoteAnswer', () => {
  test('quotes the sentence that answers, with its neighbours, from where it stands', () => {
    const quoted = quoteAnswer('Where does the sanderling breed?', [birds]);
    assert.match(quoted?.text ?? '', /high Arctic tundra of Greenland and Siberia/);
    assert.deepEqual(quoted?.headingPath, ['Shore birds', 'Sanderling']);
    assert.equal(birds.markdown.slice(quoted?.start, quoted?.end), quoted?.text);
    assert.ok((quoted?.score ?? 0) > 0.6 && (quoted?.score ?? 0) <= 1);
  });

  test('the page that answers wins over one that comes first', () => {
    const other = { ...page(filler('curlew'), 'Curlews'), url: 'https://curlews.example/' };
    assert.equal(quoteAnswer('Where does the sanderling breed?', [other, birds])?.url, birds.url);
  });

  test('quotes nothing from pages that speak of something else, and nothing of nothing', () => {
    assert.equal(quoteAnswer('Who composed the opera Rigoletto?', [birds, fees, manual]), null);
    assert.equal(quoteAnswer('Where does the sanderling breed?', []), null);
    assert.equal(quoteAnswer('', [birds]), null);
    assert.equal(quoteAnswer('?!', [birds]), null);
    assert.equal(quoteAnswer('sanderling', [page('')]), null);
  });

  test('a row of a table has its header above it', () => {
    const quoted = quoteAnswer('harbour fee for a catamaran in summer', [fees]);
    assert.equal(
      quoted?.text,
      '| Length of ship | Fee in summer | Fee in winter |\n| --- | --- | --- |\n| catamaran | 31 | 19 |',
    );
    assert.equal(fees.markdown.slice(quoted?.start, quoted?.end), '| catamaran | 31 | 19 |');
  });

  test('code answers a question for a command, with the sentence that leads to it', () => {
    const quoted = quoteAnswer('command to install tern with the package manager', [manual]);
    assert.equal(
      quoted?.text,
      'Install tern with the package manager of your system:\n\n```sh\npackman install tern\n```',
    );
  });

  test('the quotation of one page is the same however often it is asked', () => {
    const ask = (): Quotation | null => quoteAnswer('Where does the sanderling breed?', [birds, fees]);
    assert.deepEqual(ask(), ask());
  });
});

const WORDS = 'sanderling wave tundra egg bill tide Arctic 1974 breeds where when 12 install'.split(' ');
const word = fc.constantFrom(...WORDS);
const line = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => `${words.join(' ')}.`);
const paragraph = fc.array(line, { minLength: 1, maxLength: 7 }).map((lines) => lines.join(' '));
const block = fc.oneof(
  paragraph,
  word.map((text) => `## ${text}`),
  fc.array(line, { minLength: 1, maxLength: 5 }).map((items) => items.map((item) => `- ${item}`).join('\n')),
  fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.map((one) => `> ${one}`).join('\n')),
  fc
    .array(fc.tuple(word, line), { minLength: 1, maxLength: 40 })
    .map((rows) => ['| a | b |', '| --- | --- |', ...rows.map(([a, b]) => `| ${a} | ${b} |`)].join('\n')),
  fc
    .tuple(fc.constantFrom('```', '~~~~'), fc.array(line, { maxLength: 60 }), fc.boolean())
    .map(([fence, lines, isClosed]) => [`${fence}js`, ...lines, ...(isClosed ? [fence] : [])].join('\n')),
  fc.string({ maxLength: 300, unit: 'binary' }),
);

describe('a quotation', () => {
  test('is verbatim, but for the header above a row and the fence below cut code', () => {
    let seen = 0;
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 1, maxLength: 9 }),
        fc.array(word, { minLength: 1, maxLength: 5 }),
        (blocks, query) => {
          const { markdown } = page(blocks.join('\n\n'));
          const quoted = bestQuotation(query.join(' '), [page(markdown)]);
          if (quoted === null) return;
          seen += 1;
          const slice = markdown.slice(quoted.start, quoted.end);
          const [before = '', after = '', ...more] = quoted.text.split(slice);
          if (quoted.text !== slice && more.length === 0) {
            if (before !== '') assert.ok(markdown.includes(before.trimEnd()));
            assert.match(after, /^(?:\n(?:`{3,}|~{3,}))?$/);
          }
          assert.ok(quoted.text.includes(slice));
          assert.ok(slice.trim() !== '');
          assert.ok(quoted.text.length <= 1_500);
          assert.ok(quoted.score >= 0 && quoted.score <= 1);
        },
      ),
      { numRuns: 400 },
    );
    assert.ok(seen > 200, `${seen} quotations`);
  });

  test('reads a page of odd shape in bounded time and never fails', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 2_000, unit: 'binary' }),
        fc.string({ maxLength: 200 }),
        (text, query) => {
          const quoted = bestQuotation(query, [page(text)]);
          assert.ok(quoted === null || text.slice(quoted.start, quoted.end) !== '');
        },
      ),
    );
  });
});
