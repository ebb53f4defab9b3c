import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openIndexFile } from '../index-schema.ts';
import { openIndexWriter } from '../index-writer.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { trainDictionary } from '../upkeep/index-upkeep.ts';
import { createTextReader } from './page-texts.ts';

const FOOTER = 'This text is available under the licence of the project; see the terms of use for details. ';
const random = (seed: number): string =>
  Array.from({ length: 20 }, (_, at) =>
    createHash('sha1').update(`${seed} ${at}`).digest('hex').slice(0, 7),
  ).join(' ');
const paragraph = (number: number): string => `${random(number + 1_000)}\n`;
/** Some of sixty paragraphs, by the number of the page. */
const commonOf = (page: number): string =>
  Array.from({ length: 6 }, (_, at) => paragraph((page * 7 + at * 11) % 60)).join('');

/** All strings of eight characters in a text. */
const strings = (text: string): string[] =>
  Array.from({ length: text.length - 7 }, (_, at) => text.slice(at, at + 8));
const sentences = Array.from({ length: 12 }, (_, number) => paragraph(number)).join('');

test('a dictionary holds what several hosts say, and nothing that one of them says alone', () => {
  const secret = 'honeysuckle opens red door nine';
  const samples = Array.from({ length: 60 }, (_, number) => ({
    host: `h${number % 10}.example.com`,
    // On many pages, but of one host; between texts that all of them have.
    text: `${random(number)} ${FOOTER}${number % 10 === 3 ? secret : ''}${sentences}`,
  }));
  const dictionary = trainDictionary(samples);
  assert.ok(dictionary !== null);
  const text = Buffer.from(dictionary).toString();
  assert.ok(text.includes('licence'));
  for (const string of strings(secret)) assert.ok(!text.includes(string), string);
  assert.equal(trainDictionary(samples.map(({ text: same }) => ({ host: 'one.example', text: same }))), null);
});

test('an index that has grown keeps texts with a dictionary, in less room, and gives all of them back', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-texts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'index.db');
  const pages = Array.from(
    { length: 520 },
    (_, number): IndexedPage => ({
      url: `https://h${number % 9}.example.com/${number}`,
      title: 'T',
      headings: ['\n', 'Ü'],
      language: 'en',
      markdown: `\n${random(number)}\n${commonOf(number)}`,
      publishedDay: null,
      site: null,
      author: null,
      rawChars: 1,
      fetchedAt: 1,
    }),
  );
  const writer = openIndexWriter(path);
  writer.apply([{ at: 1, put: pages.slice(0, 510) }]);
  while (writer.upkeep(null).more);
  writer.apply([{ at: 1, put: pages.slice(510) }]);
  writer.close();
  const database = openIndexFile(path);
  const texts = createTextReader(database);
  const rows = database.prepare('select * from page join page_text on page_id = id').all();
  for (const row of rows) {
    const { headings, markdown } = pages.find(({ url }) => url === row.url) ?? {};
    assert.deepEqual(texts.textOf(row), { headings, markdown });
  }
  const bytesWith = (dictionary: number): number =>
    Number(
      database.prepare('select avg(length(text)) as n from page_text where dictionary = ?').get(dictionary)
        ?.n,
    );
  assert.ok(bytesWith(1) < 0.7 * bytesWith(0), `${bytesWith(1)} of ${bytesWith(0)}`);
  database.close();
});
