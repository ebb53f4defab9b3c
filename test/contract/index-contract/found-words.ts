import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_FILTERS } from '../../../src/text/query/filters.ts';
import { readQuery } from '../../../src/text/query/read-query.ts';
import { type GivenIndex, page } from './given-index.ts';

/** What every engine promises of words, in every script. */
export function foundWords(given: GivenIndex): void {
  const { find } = given;
  describe('words', () => {
    const scripts: [name: string, language: string, text: string, query: string][] = [
      ['Chinese', 'zh', '北京是中华人民共和国的首都。', '首都'],
      ['Japanese', 'ja', '東京都は日本の都市です。', '日本'],
      ['Japanese in Kana', 'ja', 'コンピュータを使います。', 'コンピュータ'],
      ['Korean', 'ko', '서울에서 만나요', '서울'],
      ['Thai', 'th', 'ประเทศไทยมีอาหารอร่อย', 'อาหาร'],
      ['Lao', 'lo', 'ປະເທດລາວມີອາຫານ', 'ອາຫານ'],
      ['Khmer', 'km', 'ប្រទេសកម្ពុជាមានអាហារ', 'អាហារ'],
      ['Burmese', 'my', 'မြန်မာနိုင်ငံတွင်အစားအစာ', 'အစားအစာ'],
      ['Hindi', 'hi', 'भारत की राजधानी दिल्ली है', 'राजधानी'],
      ['Arabic', 'ar', 'القاهرة عاصمة مصر', 'عاصمة'],
      ['Russian', 'ru', 'Москва является столицей России', 'столица'],
      ['Greek', 'el', 'Η Αθήνα είναι πρωτεύουσα', 'πρωτεύουσα'],
    ];
    test('text of every script is found, and not by other words of it', async () => {
      await given.index.put(
        scripts.map(([name, language, markdown], at) =>
          page(`https://example.com/${at}`, { title: name, language, markdown }),
        ),
      );
      for (const [at, [name, , , query]] of scripts.entries()) {
        assert.equal((await find(query))[0], `https://example.com/${at}`, name);
      }
      assert.deepEqual(await find('上海'), []);
      const single = await find('京');
      assert.deepEqual(
        single.sort(),
        ['https://example.com/0', 'https://example.com/1'],
        'a single character',
      );
    });

    test('accents, case and endings make no difference', async () => {
      await given.index.put([page('https://example.com/a', { markdown: 'Two CAFÉS were running.' })]);
      for (const query of ['cafe', 'Café', 'run', 'RUNS']) {
        assert.deepEqual(await find(query), ['https://example.com/a'], query);
      }
    });

    test('an identifier is found whole before its parts', async () => {
      await given.index.put([
        page('https://example.com/parts', {
          markdown: 'The path is long. Join us. Our os is new. os path join path join.',
        }),
        page('https://example.com/whole', {
          markdown: 'Use os.path.join for that, and nothing else will do as well here.',
        }),
      ]);
      assert.equal((await find('os.path.join'))[0], 'https://example.com/whole');
    });

    test('a page that shares one word with a query is a weak result, one that shares none is no result', async () => {
      await given.index.put(Array.from({ length: 40 }, (_, at) => page(`https://example.com/${at}`)));
      const found = await given.index.search({
        ...NO_FILTERS,
        query: readQuery('page xylophone quetzal zugzwang'),
        limit: 10,
      });
      assert.ok(found.length > 0 && found.every(({ isWeak }) => isWeak));
      assert.deepEqual(await find('how to find a xylophone'), []);
      assert.deepEqual(await find('?!'), []);
    });

    test('stop words count when there is nothing else', async () => {
      await given.index.put([page('https://example.com/a', { markdown: 'To be or not to be' })]);
      assert.deepEqual(await find('to be or not to be'), ['https://example.com/a']);
    });

    test('signs of the query language of the engine are only text', async () => {
      await given.index.put([page('https://example.com/a')]);
      for (const query of [
        '"codecs',
        'codecs OR',
        'NEAR(codecs',
        'codecs*',
        '^codecs',
        '{codecs}:',
        "codecs'--",
        'codecs\u0000',
      ]) {
        assert.deepEqual(await find(query), ['https://example.com/a'], query);
      }
    });
  });
}
