import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeDamping, computeSignals } from './host-ranker.ts';
import { buildOutline } from './page-outline.ts';

const url = 'https://docs.site.example/guide';

test('links count, pictures do not; targets are hosts of other publishers, each once', () => {
  const markdown = `[one](https://other.example/a) [two](https://other.example/b "title") [own](https://www.site.example/)
[here](#part) [near](/near) ![picture](https://cdn.example/x.png) [mail](mailto:a@else.example) [port](http://third.example:8080/)`;
  const { links, targets } = buildOutline({ url, markdown });
  assert.equal(links, 7);
  assert.deepEqual(targets, ['other.example', 'third.example:8080']);
});

test('copies of a text on other hosts have one print, other texts and short ones have not', () => {
  const text = Array.from({ length: 200 }, (_, n) => `word${n}`).join(' ');
  const print = (host: string, markdown: string) =>
    buildOutline({ url: `https://${host}/a`, markdown }).print;
  const original = print('one.example', `${text} [see](https://one.example/b)`);
  assert.notEqual(original, null);
  assert.equal(print('two.example', `${text} [see](https://two.example/b)`), original);
  assert.notEqual(print('one.example', text.replaceAll('word', 'term')), original);
  assert.equal(print('one.example', 'Not found.'), null);
});

test('a page of brackets is read in a moment', () => {
  const { links } = buildOutline({ url, markdown: '['.repeat(200_000) + ']('.repeat(100_000) });
  assert.equal(links, 0);
});

test('names that machines make are told from those of people', () => {
  const counts = { pages: 100, thin: 0, copied: 0, links: 0, words: 0 };
  const madeName = (host: string): number => computeSignals(host, counts).madeName;
  for (const host of [
    'docs.python.example',
    'h3.site12.example',
    'xn--bcher-kva.example',
    '192.0.2.17',
    'intranet',
    'www.rhythms.example',
    'a-b-testing.example',
  ])
    assert.equal(madeName(host), 0, host);
  for (const host of ['x7k2-q9z-4b1-win.example', 'best-cheap-pills-online-24h-shop.example'])
    assert.ok(madeName(host) >= 0.5, host);
});

test('a name alone damps no host, and neither do a few pages', () => {
  const counts = { pages: 100, thin: 0, copied: 0, links: 0, words: 50_000 };
  assert.equal(computeDamping(computeSignals('best-cheap-pills-online-24h-shop.example', counts)), 0);
  assert.equal(computeDamping(computeSignals('a.example', { ...counts, pages: 2, thin: 2 })), 0);
  assert.ok(computeDamping(computeSignals('a.example', { ...counts, thin: 95 })) > 0.3);
});
