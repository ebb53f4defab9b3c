import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashTerm } from '../words/hashed/hash-terms.ts';
import { measureLocalCoverage } from './local-coverage.ts';
import { readWords } from './read-words.ts';
import { findOccurrences, type WeightedTerm } from './score-page.ts';

const term = (text: string, parts: Partial<WeightedTerm> = {}): WeightedTerm => ({
  hashes: [hashTerm(text)],
  near: [],
  said: text,
  weight: 1,
  place: 0,
  tells: true,
  ...parts,
});
const gathered = (
  { title = '', body = '' }: { title?: string; body?: string },
  terms: WeightedTerm[],
  site: string[] = [],
) => {
  const words = readWords({ title, headings: [], address: '', body, language: 'en' });
  const found = terms.map(({ hashes }) => findOccurrences(words, hashes));
  return measureLocalCoverage(words, terms, { found, site });
};
const filler = Array.from({ length: 40 }, (_, at) => `filler${at}`).join(' ');

describe('measureLocalCoverage', () => {
  const otter = term('otter');
  const river = term('river', { weight: 3 });

  test('what stands far apart is not added up, what stands together is', () => {
    assert.equal(gathered({ body: `otter ${filler} river` }, [otter, river]).share, 0.75);
    assert.equal(gathered({ body: 'otter by the river' }, [otter, river]).share, 1);
  });

  test('what the title says counts beside every place', () => {
    const page = { title: 'River', body: `otter ${filler}` };
    assert.equal(gathered(page, [otter, river]).share, 1);
    assert.equal(gathered({ title: 'River' }, [otter, river]).told, 0.5);
  });

  test('a word that means nearly the same stands for a missing one in part, and not beside it', () => {
    const near = { near: [{ hash: hashTerm('stream'), share: 0.5 }] };
    const asked = [otter, term('river', { weight: 3, ...near })];
    assert.equal(gathered({ body: 'otter stream' }, asked).share, 2.5 / 4);
    assert.equal(gathered({ body: 'otter stream river' }, asked).share, 1);
    assert.equal(gathered({ body: 'otter stream' }, asked).whole, 1 - 1.5 / 4);
  });

  test('the name of the site is said by all of its pages', () => {
    const asked = [otter, term('postgres')];
    assert.deepEqual(gathered({ body: 'otter' }, asked, ['postgresql']), {
      share: 1,
      told: 1,
      whole: 1,
      namesSite: true,
    });
    assert.equal(gathered({ body: 'otter' }, asked, ['sqlite']).namesSite, false);
  });

  test('without a word of the query there is nothing, and without a query neither', () => {
    assert.deepEqual(gathered({ body: 'heron' }, [otter, river]), {
      share: 0,
      told: 0,
      whole: 0.25,
      namesSite: false,
    });
    assert.deepEqual(gathered({ body: 'heron' }, []), { share: 0, told: 0, whole: 1, namesSite: false });
  });
});
