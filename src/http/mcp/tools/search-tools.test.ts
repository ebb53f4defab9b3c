import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withCitations } from '../../../search/cite-parts.ts';
import { pageParts } from '../../../text/prune/page-parts.ts';
import { search } from './search-tools.ts';

const WANTED = { text: null, pruned: null, highlights: { query: null, perUrl: 2, charsMax: null } };
/** Links between the passages were a fifth of an answer. */
const SHARE_MAX = 0.13;

/** A page of this project as a search result, with citations. */
function resultOf(name: string): { highlights?: string[] | undefined; [field: string]: unknown } {
  const markdown = readFileSync(`docs/decisions/${name}`, 'utf8');
  const url = `https://docs.example.org/decisions/${name.replace('.md', '')}`;
  const { highlights, highlightProofs } = withCitations(
    pageParts({ markdown, language: 'en' }, WANTED, 'a page in the index'),
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
