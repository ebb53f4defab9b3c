import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTerms } from '../words.ts';
import { createHashedTerms, hashTerm, hashTerms } from './hash-terms.ts';

const HAN_PAIR = /^\p{Script=Han}{2}$/u;

/** What `hashTerms` must find, by the pattern and strings. */
function expected(text: string, language: string | null): [number, number, number][] {
  return parseTerms(text, language).flatMap(({ text: term, place }): [number, number, number][] => [
    [hashTerm(term), place, 0],
    ...(HAN_PAIR.test(term)
      ? [...term].map((character): [number, number, number] => [hashTerm(character), place, 1])
      : []),
  ]);
}

function found(text: string, language: string | null): [number, number, number][] {
  const into = createHashedTerms();
  hashTerms(text, language, into);
  return Array.from({ length: into.count }, (_, at) => [
    into.hashes[at] ?? 0,
    into.places[at] ?? 0,
    into.extra[at] ?? 0,
  ]);
}

const LANGUAGES = ['en', 'de', 'zh', 'xx', null];
/** Letters of many scripts, digits, marks, everything that holds identifiers together, halves of pairs. */
const CHARACTERS = [
  ...'aabcdeghijkorstABCSTXz0123456789',
  ...'éüßæıñЖжяأبتनमस्ते日本語漢字カタ한국กขค',
  ...'   \n\t.,:;-_$@\'’`#+*/()[]{}<>|\\"',
  ...['::', '++', '--', '1,000', 'ß', '\u0301', '\u0300', '😀', '𝒳', '𠀀', '\ud83d', '\ude00', 'ﬁ', '№'],
];

function randomText(seed: number): string {
  let state = seed * 2_654_435_761 + 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: random(120) }, () => CHARACTERS[random(CHARACTERS.length)]).join('');
}

test('terms are read by their hashes as the pattern reads them', () => {
  for (let seed = 1; seed <= 4_000; seed += 1) {
    const text = randomText(seed);
    const language = LANGUAGES[seed % LANGUAGES.length] ?? null;
    assert.deepEqual(found(text, language), expected(text, language), JSON.stringify(text));
  }
});

test('more pieces than are remembered change nothing', () => {
  const text = Array.from({ length: 130_000 }, (_, number) => `w${number.toString(36)}x`).join(' ');
  assert.deepEqual(found(text, 'en'), expected(text, 'en'));
  assert.deepEqual(found('See `os.path.join`, C++.', 'en'), expected('See `os.path.join`, C++.', 'en'));
});
