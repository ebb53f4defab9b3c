import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import type { AnswerPage, Quotation } from './candidates.ts';
import { findBestQuotation, quoteAnswer } from './quote-answer.ts';

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
  test('quotes the sentence that answers, without its neighbours, from where it stands', () => {
    const quoted = quoteAnswer('Where does the sanderling breed?', [birds]);
    assert.equal(quoted?.text, 'The sanderling breeds in the high Arctic tundra of Greenland and Siberia.');
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

const server = page(
  [
    '# Server settings',
    '- [Memory](https://server.example/memory) [Network](https://server.example/network)',
    '## What is the timeout of an idle connection?',
    '- **idle_timeout** (integer)\n\n  Closes a connection that has sent nothing for this many seconds. The default is 90 seconds.\n\n- **max_clients** (integer)\n\n  The largest number of clients at the same time. More of them wait until one leaves.\n\n- **log_file** (text)\n\n  The file that messages are written to. The default is standard error.',
    '### page_size',
    'Default: 4096',
    'The bytes of a page on disk. It cannot change once there is data.',
  ].join('\n\n'),
  'Server manual',
);

describe('a quotation from a manual', () => {
  test('names what it is about and leaves out the entries beside it', () => {
    const quoted = findBestQuotation('default timeout of idle connections', [server]);
    assert.match(
      quoted?.text ?? '',
      /^- \*\*idle_timeout\*\* \(integer\)[\s\S]*The default is 90 seconds\.$/,
    );
  });

  test('a default that stands alone takes along what it is the default of', () => {
    const quoted = findBestQuotation('default page size on disk in bytes', [server]);
    assert.match(quoted?.text ?? '', /^### page_size\n\nDefault: 4096\n\nThe bytes of a page on disk\./);
    assert.deepEqual(quoted?.headingPath.at(-1), 'page_size');
  });

  test('is never a question, a link, a number of a section or a heading', () => {
    const faq = page(
      [
        '## Contents',
        '**5.1.** [How do I attach to a running process?](https://faq.example/5.1)',
        '**5.2. How do I attach to a running process?**, **5.3. Why is it slow?**',
        'Attach to a running process?',
        'Running processes',
      ].join('\n\n'),
    );
    assert.equal(findBestQuotation('how do I attach to a running process', [faq]), null);
  });
});

describe('a quotation in other languages', () => {
  const asked: [string, string, string, string][] = [
    [
      'ja',
      'カーネルのモジュールの設定はどのディレクトリにありますか',
      'パッケージは毎週更新されます。カーネルのモジュールの設定は /etc/modprobe.d/ ディレクトリにあります。画面の色は自由に選べます。',
      '/etc/modprobe.d/',
    ],
    [
      'ko',
      '커널 모듈 설정 파일은 어느 디렉터리에 있나요',
      '패키지는 매주 갱신됩니다. 커널 모듈 설정 파일은 /etc/modprobe.d/ 디렉터리에 있습니다. 화면 색은 마음대로 고를 수 있습니다.',
      '/etc/modprobe.d/',
    ],
    [
      'zh',
      '内核模块的配置文件在哪个目录',
      '软件包每周更新。内核模块的配置文件位于 /etc/modprobe.d/ 目录。屏幕的颜色可以自由选择。',
      '/etc/modprobe.d/',
    ],
    [
      'th',
      'นกทะเลวางไข่กี่ฟอง',
      'นกทะเลอาศัยอยู่ตามชายฝั่ง นกทะเลวางไข่ครั้งละ 4 ฟอง ในรังบนพื้นดิน เรือประมงออกจากท่าทุกเช้า',
      '4 ฟอง',
    ],
  ];
  for (const [language, question, text, answer] of asked) {
    test(`${language}: holds the answer`, () => {
      const quoted = findBestQuotation(question, [page(text, '', language)]);
      assert.ok(quoted?.text.includes(answer), quoted?.text);
    });
  }
});

describe('the same question over more pages', () => {
  const eggs = page(
    [
      '# Sanderling',
      filler('plumage'),
      '## Breeding',
      'The eggs are incubated for 24 to 32 days by both parents. The young fly after 17 days.',
      '## Food',
      filler('beach'),
    ].join('\n\n'),
    'Sanderling',
  );
  const others = ['harbour', 'opera', 'engine', 'weather'].map((topic) => ({
    ...page(`# ${topic}\n\n${filler(topic)}\n\n## More\n\n${filler(`old ${topic}`)}`, topic),
    url: `https://${topic}.example/`,
  }));

  test('gives the same answer with the same confidence, however many pages have nothing to do with it', () => {
    const alone = quoteAnswer('How long are eggs incubated?', [eggs]);
    assert.match(alone?.text ?? '', /24 to 32 days/);
    for (let count = 1; count <= others.length; count += 1) {
      const among = quoteAnswer('How long are eggs incubated?', [eggs, ...others.slice(0, count)]);
      assert.equal(among?.text, alone?.text);
      assert.ok(Math.abs((among?.score ?? 0) - (alone?.score ?? 0)) < 0.05);
    }
  });

  test('an operator decides from which confidence on', () => {
    const { score = 0 } = findBestQuotation('How long are eggs incubated?', [eggs]) ?? {};
    assert.notEqual(quoteAnswer('How long are eggs incubated?', [eggs], score), null);
    assert.equal(quoteAnswer('How long are eggs incubated?', [eggs], score + 0.001), null);
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
          const quoted = findBestQuotation(query.join(' '), [page(markdown)]);
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
          const quoted = findBestQuotation(query, [page(text)]);
          assert.ok(quoted === null || text.slice(quoted.start, quoted.end) !== '');
        },
      ),
    );
  });
});

test('a long block of code that repeats what is asked takes linear time', () => {
  const markdown = `\`\`\`\n${'tide moon\n'.repeat(10_000)}\`\`\``;
  const page = { url: 'https://example.org/', title: 'Code', markdown, language: 'en' };
  const ms = cpuMsOf(() => quoteAnswer('what is the tide of the moon?', [page], 0));
  assert.ok(ms < 1_500, `took ${ms} ms`);
});
