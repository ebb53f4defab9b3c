import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { openIndexReader } from '../index-reader.ts';
import { openIndexWriter } from '../index-writer.ts';
import type { IndexedPage } from '../local-index-types.ts';

const page = (path: string, title: string, markdown: string): IndexedPage => ({
  url: `https://docs.example/${path}`,
  title,
  headings: [],
  markdown,
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: markdown.length,
  fetchedAt: 0,
});

const BECOME = page('become', 'become', 'The become plugin sets which account a task has. '.repeat(5));
const DEVICE = page('device', 'device', 'The device plugin sets which account a disk has. '.repeat(5));
const LINKING = page(
  'tasks',
  'Tasks',
  'To [run a task as another user](https://docs.example/become) is a task.',
);

describe('what links call a page', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'anchors-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function open(name: string, pages: IndexedPage[]) {
    const path = join(folder, name);
    const writer = openIndexWriter(path);
    writer.apply([{ put: pages, at: 0 }]);
    const named = (url: string, open?: ReturnType<typeof openIndexReader>): number => {
      const reader = open ?? openIndexReader({ path });
      const query = readQuery('account of another user');
      const found = reader.evidence({ ...NO_FILTERS, query, limit: 10 });
      if (open === undefined) reader.close();
      return found.find((one) => one.url === url)?.evidence.named ?? 0;
    };
    return { path, writer, named };
  }

  test('counts for the page that they lead to, in whichever order the pages come', () => {
    const { writer, named } = open('order.db', [LINKING, BECOME, DEVICE]);
    assert.ok(named(BECOME.url) > named(DEVICE.url) + 0.2);
    assert.deepEqual(writer.problems(), []);
    writer.close();
  });

  test('goes with the page that says it', () => {
    const { writer, named } = open('gone.db', [BECOME, DEVICE, LINKING]);
    const before = named(BECOME.url);
    writer.apply([{ forget: [LINKING.url], at: 0 }]);
    assert.ok(named(BECOME.url) < before - 0.2);
    writer.close();
  });

  test('comes and goes for a reader that has judged the page before', () => {
    const { path, writer, named } = open('kept.db', [BECOME, DEVICE]);
    const reader = openIndexReader({ path });
    const alone = named(BECOME.url, reader);
    assert.equal(named(BECOME.url, reader), alone);
    writer.apply([{ put: [LINKING], at: 0 }]);
    assert.ok(named(BECOME.url, reader) > alone + 0.2);
    writer.apply([{ forget: [LINKING.url], at: 0 }]);
    assert.equal(named(BECOME.url, reader), alone);
    const renamed = { ...BECOME, title: 'another user of an account' };
    writer.apply([{ put: [renamed], at: 1 }]);
    assert.ok(named(BECOME.url, reader) > alone + 0.2);
    reader.close();
    writer.close();
  });

  test('of another host does not count', () => {
    const foreign = { ...LINKING, url: 'https://other.example/tasks' };
    const { writer, named } = open('foreign.db', [BECOME, foreign]);
    const alone = open('alone.db', [BECOME]);
    assert.equal(named(BECOME.url), alone.named(BECOME.url));
    writer.close();
    alone.writer.close();
  });
});
