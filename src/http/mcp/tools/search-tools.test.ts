import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { citeParts } from '../../../search/cite-parts.ts';
import { buildPageParts } from '../../../text/prune/page-parts.ts';
import { search } from './search-tools.ts';

const WANTED = { text: null, pruned: null, highlights: { query: null, perUrl: 2, charsMax: null } };
/** Links between the passages were a fifth of an answer. */
const SHARE_MAX = 0.13;

/** A page of this project as a search result, with citations. */
function resultOf(name: string): { highlights?: string[] | undefined; [field: string]: unknown } {
  const markdown = readFileSync(`docs/decisions/${name}`, 'utf8');
  const url = `https://docs.example.org/decisions/${name.replace('.md', '')}`;
  const { highlights, highlightProofs } = citeParts(
    buildPageParts({ markdown, language: 'en' }, WANTED, 'a page in the index'),
    { url, markdown },
  );
  return { url, title: name, publishedDate: '2026-11-02', highlights, highlightProofs };
}

test('links to passages are a small share of an answer', (t) => {
  const results = readdirSync('docs/decisions').slice(0, 10).map(resultOf);
  const shown = results.flatMap(({ highlights = [] }) => highlights).length;
  assert.ok(shown > 15);
  const { text } = search.write({ results }, {});
  const footnotes = text.slice(text.lastIndexOf('\n\nLinks to passages'));
  assert.equal(footnotes.match(/^\[\d+\] #:~:text=/gm)?.length, shown);
  const marks = (text.match(/^\[\d+\]\n/gm) ?? []).join('').length;
  const share = (footnotes.length + marks) / text.length;
  t.diagnostic(`${(100 * share).toFixed(1)} %`);
  assert.ok(share <= SHARE_MAX, `${share}`);
});

test('weak results are marked and counted; unless a number is named at most three are shown, never none', () => {
  const found = (strong: number, weak: number): object[] =>
    Array.from({ length: strong + weak }, (_, place) => ({
      url: `https://docs.example.org/${place}`,
      title: `Page ${place}`,
      ...(place < strong ? {} : { weak: true }),
    }));
  const shown = (results: object[], args = {}): [string[], string] => {
    const { text } = search.write({ results }, args);
    return [text.match(/^\d+\. .*$/gm) ?? [], text.slice(text.lastIndexOf('\n\n') + 2)];
  };
  assert.deepEqual(shown(found(1, 1)), [
    ['1. Page 0', '2. Page 1 [weak]'],
    '1 of these results is weak: unlikely to be relevant.',
  ]);
  const [few, note] = shown(found(0, 5));
  assert.equal(few.length, 3);
  assert.equal(
    note,
    '3 of these results are weak: unlikely to be relevant. 2 more left out; max_results shows them.',
  );
  assert.equal(shown(found(0, 5), { max_results: 5 })[0].length, 5);
  assert.doesNotMatch(search.write({ results: found(2, 0) }, {}).text, /weak/);
});
