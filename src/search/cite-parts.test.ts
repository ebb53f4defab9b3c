import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { computeContentHash } from '../pages/content-hash.ts';
import { buildPageParts } from '../text/prune/page-parts.ts';
import { citeParts } from './cite-parts.ts';

const long = (topic: string): string => `The ${topic} is told of here at some length. `.repeat(11).trim();
const markdown = `# Birds\n\n${long('coast')}\n\n## Knot\n\n${long('knot')}\n\n## Tern\n\n${long('tern')}\n`;
const page = { url: 'https://birds.example/', markdown };
const wanted = (perUrl: number) => ({
  text: null,
  pruned: null,
  highlights: { query: null, perUrl, charsMax: null },
});

describe('citeParts', () => {
  test('each highlight has a proof: where it stands, under what, how to get there', () => {
    const parts = citeParts(buildPageParts({ markdown, language: 'en' }, wanted(3), 'knot'), page);
    const { highlights = [], highlightProofs = [] } = parts;
    assert.ok(highlights.length > 0);
    assert.equal(highlightProofs.length, highlights.length);
    for (const [place, { start, end, link }] of highlightProofs.entries()) {
      assert.equal(markdown.slice(start, end), highlights[place]?.trim());
      assert.match(link, /^https:\/\/birds\.example\/#:~:text=The%20/);
    }
    assert.deepEqual(highlightProofs[0]?.headingPath, ['Birds', 'Knot']);
    assert.equal(parts.contentHash, computeContentHash(markdown));
    assert.ok(!('highlightPlaces' in parts));
  });

  test('each stretch of the pruned context has one', () => {
    const tail = ['gull', 'plover', 'curlew', 'dunlin'].map((bird) => `## Other birds\n\n${long(bird)}`);
    const whole = [markdown, ...tail, '## Knots again', long('knot of the north')].join('\n\n');
    const pruned = { text: null, highlights: null, pruned: { query: 'knot' } };
    const parts = citeParts(buildPageParts({ markdown: whole, language: 'en' }, pruned, null), {
      ...page,
      markdown: whole,
    });
    const { prunedContext = '', prunedProofs = [] } = parts;
    // Neighbours that are hardly relevant may be kept with the two that are: the page is short.
    assert.equal(prunedProofs.length, prunedContext.split('[…]').filter((text) => /told/.test(text)).length);
    assert.ok(prunedProofs.length >= 2);
    for (const { start, end, link } of prunedProofs) {
      assert.ok(prunedContext.includes(whole.slice(start, end)));
      assert.match(link, /^https:\/\/birds\.example\/#:~:text=The%20\w+%20/);
    }
    assert.deepEqual(Object.keys(parts), ['prunedContext', 'prunedBy', 'prunedProofs', 'contentHash']);
  });

  test('white space around a highlight is not proved', () => {
    const places = [{ start: 2, end: 9, headingPath: [] }];
    const { highlightProofs } = citeParts(
      { highlightPlaces: places },
      { url: page.url, markdown: 'x \n tern \n y' },
    );
    assert.deepEqual(highlightProofs, [
      { start: 4, end: 8, headingPath: [], link: `${page.url}#:~:text=tern` },
    ]);
  });

  test('without highlights there is nothing to prove, nor without the page', () => {
    assert.deepEqual(citeParts({ text: 'x' }, page), { text: 'x' });
    const source = buildPageParts({ markdown: 'What a source says.', language: null }, wanted(1), 'says');
    assert.deepEqual(Object.keys(citeParts(source, null)), ['highlights', 'highlightScores']);
  });

  test('the hash tells the text and the way it was made', () => {
    assert.equal(
      computeContentHash('abc'),
      'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
