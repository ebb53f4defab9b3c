import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { asMarkdown, madePage } from '../../../../test/fixtures/corpora/made-pages.ts';
import type { GuardedFetch } from '../../../platform/net/fetch-types.ts';
import { createOpenCollection } from '../collections/open-collection.ts';
import { readCollection } from '../collections/read-collection.ts';
import { PACKS } from './packs.ts';

const made = Array.from({ length: 5 }, (_, number) => madePage(number));
const { signal } = new AbortController();

/** A table with the columns that the publisher of a pack gives its own. */
function tableLike(name: string): Uint8Array {
  const text = made.map(asMarkdown);
  const url = made.map((page) => page.url);
  const columns: Record<string, string[]> = name.startsWith('wikipedia')
    ? { id: made.map(({ number }) => String(number)), url, title: made.map(({ title }) => title), text }
    : { doc_id: url, url, host: url, crawl_date: made.map(({ day }) => day), markdown: text };
  const columnData = Object.entries(columns).map(([name, data]) => ({ name, data, type: 'STRING' as const }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

/** The web, where every address has the same file. */
function webOf(file: Uint8Array): { fetch: GuardedFetch; asked: Set<string> } {
  const asked = new Set<string>();
  const fetch: GuardedFetch = async ({ url, headers = {} }) => {
    asked.add(url);
    const [from = 0, to = 0] = (headers.range?.match(/\d+/g) ?? []).map(Number);
    const range = { 'content-range': `bytes ${from}-${to}/${file.length}` };
    return {
      url,
      redirects: [],
      status: 206,
      headers: range,
      body: new Uint8Array(file.slice(from, to + 1)),
    };
  };
  return { fetch, asked };
}

/** Files of each pack on the web, as its publisher counts them. */
const FILES: Record<string, number> = {
  'web-markdown': 50,
  'wikipedia-simple': 1,
  'wikipedia-en': 41,
  'wikipedia-de': 20,
};

describe('packs', () => {
  for (const { name, path, baseUrl = null, licence, answers } of PACKS)
    test(`${name}: what its command names is opened and read`, async (t) => {
      assert.ok(licence !== '' && answers !== '');
      if (!path.startsWith('https:')) {
        if (statSync(path, { throwIfNoEntry: false }) === undefined) return t.skip(`there is no ${path}`);
        const local = await createOpenCollection(webOf(new Uint8Array()))(path, baseUrl, signal);
        assert.ok(local.bytesTotal !== null && local.bytesTotal > 0);
        return;
      }
      const { fetch, asked } = webOf(tableLike(name));
      const collection = await createOpenCollection({ fetch })(path, baseUrl, signal);
      const options = { from: null, baseUrl, columns: null, scratch: tmpdir(), signal };
      const urls: string[] = [];
      for await (const record of readCollection(collection, options)) {
        assert.ok('page' in record, JSON.stringify(record));
        const { body } = record.page;
        assert.ok('markdown' in body && body.markdown.includes(made[urls.length]?.title ?? ''));
        urls.push(record.page.url);
        // The other files are as the first.
        if (urls.length === made.length) break;
      }
      assert.deepEqual(
        urls,
        made.map(({ url }) => url),
      );
      for await (const { problem } of collection.files(null)) assert.equal(problem, undefined);
      assert.equal(asked.size, FILES[name]);
    });
});
