import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessLanguage } from './guess-language.ts';

const guess = (markdown: string): string | null => guessLanguage([{ markdown }]);

test('a language is known by its function words or its script', () => {
  assert.equal(guess('The birds of the coast walk along the edge of the water and pick what is left.'), 'en');
  assert.equal(
    guess('Die Vögel der Küste gehen am Rand des Wassers und picken auf, was von ihm bleibt.'),
    'de',
  );
  assert.equal(guess('Les oiseaux de la côte marchent dans le sable et la mer est au bord des dunes.'), 'fr');
  assert.equal(guess('Птицы идут вдоль края воды.'), 'ru');
  assert.equal(guess('पक्षी पानी के किनारे चलते हैं।'), 'hi');
});

test('nothing names no language', () => {
  assert.equal(guess('12345 67890'), null);
  assert.equal(guessLanguage([]), null);
});
