import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseSubpages } from './subpages.ts';

const page = (links: string[], url = 'https://www.example.org/docs/start') => ({
  url,
  canonicalUrl: url,
  links,
});
const choose = (links: string[], targets: string[] = [], taken: string[] = []): string[] =>
  chooseSubpages(page(links), { targets, taken: new Set(taken) });

test('pages of the same site only, each once, without the page itself and files', () => {
  const links = [
    'https://www.example.org/docs/start#top',
    'https://other.org/x',
    'https://blog.example.org/a',
    'https://blog.example.org/a#part',
    'https://www.example.org/logo.png',
    'https://www.example.org/known',
  ];
  assert.deepEqual(choose(links, [], ['https://www.example.org/known']), ['https://blog.example.org/a']);
});

test('those with most words of the targets first, then those below the path, then in page order', () => {
  const links = ['/zoo', '/docs/install', '/pricing-and-plans', '/About-Us/team'].map(
    (path) => `https://www.example.org${path}`,
  );
  assert.deepEqual(choose(links, ['about', 'pricing plans']), [links[2], links[3], links[1], links[0]]);
  assert.deepEqual(choose(links), [links[1], links[0], links[2], links[3]]);
});
