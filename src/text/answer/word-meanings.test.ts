import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWordMeanings, WORD_FEATURES } from './word-meanings.ts';

const NOTHING = { best: '', about: '', subject: '', headings: '' };
const ALL = new Set<string>();
const english = (question: string, topic: ReadonlySet<string> = ALL) =>
  createWordMeanings(question, { language: 'en', topic });

describe('createWordMeanings', () => {
  const { measure: read } = english('how do I delete a branch');
  const figure = (
    name: (typeof WORD_FEATURES)[number],
    passage: { text: string; about?: string; subject?: string; headings?: string },
  ): number => read({ ...NOTHING, ...passage })[WORD_FEATURES.indexOf(name)] ?? 0;

  it('finds words that mean the same', () => {
    const alike = figure('wordsText', { text: 'Removes the branch from the list.' });
    const other = figure('wordsText', { text: 'Prints the branch of the list.' });
    assert.ok(alike > other, `${alike} ${other}`);
  });

  it('finds the best sentence, and with it what the heading names', () => {
    const text = 'Colours are set elsewhere. Removes it from the list.';
    const sentence = figure('wordsSentence', { text });
    assert.ok(sentence <= figure('wordsText', { text }));
    assert.ok(figure('wordsSentenceOrSubject', { text, subject: 'branch' }) > sentence);
  });

  it('counts headings further up for less than the text', () => {
    const text = 'Colours are set elsewhere.';
    const above = figure('wordsAll', { text, headings: 'Delete a branch' });
    assert.ok(above > figure('wordsAll', { text }));
    assert.ok(above < figure('wordsAll', { text: 'Delete a branch.' }));
  });

  it('takes the subject of the page as said in each of its sentences', () => {
    const text = 'It is removed for ever.';
    assert.ok(figure('wordsSentence', { text, about: 'Branch. ' }) > figure('wordsSentence', { text }));
  });

  it('is 1 for the words of the question themselves', () => {
    const own = read({ ...NOTHING, text: 'how do I delete a branch' });
    const near = (name: (typeof WORD_FEATURES)[number]) => own[WORD_FEATURES.indexOf(name)] ?? 0;
    for (const name of ['wordsText', 'wordsAll', 'wordsFarthest', 'wordsClose'] as const)
      assert.ok(Math.abs(near(name) - 1) < 1e-6, name);
  });

  it('is 0 without words and in languages that the vectors do not know', () => {
    assert.ok(read({ ...NOTHING, text: '' }).every((value) => value === 0));
    const thai = createWordMeanings('ลบสาขา', { language: 'th', topic: ALL });
    assert.deepEqual(
      thai.measure({ ...NOTHING, text: 'ลบสาขา' }),
      WORD_FEATURES.map(() => 0),
    );
    assert.ok(
      english('???')
        .measure({ ...NOTHING, text: 'a' })
        .every((value) => value === 0),
    );
  });
});

describe('the answer in a sentence', () => {
  const topic = new Set(['harbour', 'bridg']);
  const figure = (name: (typeof WORD_FEATURES)[number], question: string, best: string): number =>
    english(question, topic).measure({ ...NOTHING, text: best, best })[WORD_FEATURES.indexOf(name)] ?? 0;

  it('is nearer to what is asked when it says it in other words, and not when it says the opposite', () => {
    const question = 'When did the Harbour Bridge close?';
    const closed = figure('answeredFocus', question, 'The closure came in 1954, after a fire.');
    const opened = figure('answeredFocus', question, 'It opened to traffic in 1932.');
    assert.ok(closed > 0.7, String(closed));
    assert.ok(opened < 0.3, String(opened));
  });

  it('is no other relative than the one asked for', () => {
    const question = 'What is the name of her daughter?';
    const daughter = figure('answeredFocus', question, 'Her daughter Ada keeps no bees.');
    assert.ok(daughter > 0.9, String(daughter));
    assert.ok(figure('answeredFocus', question, 'Her husband Neil builds the hives.') < 0.5);
  });

  it('counts for nothing in a sentence without one', () => {
    const question = 'When did the Harbour Bridge close?';
    const text = 'The closure was long debated.';
    assert.equal(figure('answeredFocus', question, text), 0);
    assert.ok(figure('unansweredFocus', question, text) > 0.7);
    assert.equal(english(question, topic).mayAnswer(text), false);
  });

  it('counts what is asked for, not what stands beside it', () => {
    const { mayAnswer } = english('How many plots are there at the Harbour Bridge?', topic);
    assert.ok(mayAnswer('The society has 48 plots.'));
    assert.ok(!mayAnswer('It takes about two years to get a plot.'));
    assert.ok(english('How much water goes into it?').mayAnswer('Add 400 ml of lukewarm water.'));
  });

  it('speaks of what is asked when yes or no is asked', () => {
    const { mayAnswer } = english('Are bees allowed?');
    assert.ok(mayAnswer('Bees may be kept.'));
    assert.ok(!mayAnswer('Sheds may cover no more than six square metres.'));
  });

  it('takes any form in other languages', () => {
    const { mayAnswer } = createWordMeanings('สะพานปิดเมื่อไหร่', { language: 'th', topic: ALL });
    assert.ok(mayAnswer('สะพานเปิด'));
  });
});
