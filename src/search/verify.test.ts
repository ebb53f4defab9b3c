import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from '../pages/article.ts';
import type { FoundQuote } from '../text/citations/find-quote.ts';
import { createVerify } from './verify.ts';

const { signal } = new AbortController();

/** Verifies one quotation on a page of 5 characters, with a worker that returns these places. */
async function verifyWith(...places: { start: number; end: number }[]): Promise<unknown> {
  // Cast: verifying reads only the address and the Markdown of an article.
  const page = { article: { url: 'https://example.org/', markdown: 'a bcd' }, cache: 'hit' } as Page;
  const found = places.map((place): FoundQuote => ({ found: 'exact', headingPath: [], ...place }));
  const verify = createVerify({ openPage: async () => page, find: async () => found });
  return await verify({ url: 'https://example.org/', quotes: ['bcd'], contentHash: null, signal });
}

test('a quotation lies within the text', async () => {
  await verifyWith({ start: 2, end: 5 });
  for (const place of [
    { start: -1, end: 2 },
    { start: 3, end: 2 },
    { start: 2, end: 6 },
  ])
    await assert.rejects(verifyWith(place), { message: 'a quotation lies within the text' });
});

test('each quotation has one outcome', async () => {
  await assert.rejects(verifyWith(), { message: 'each quotation has one outcome' });
});
