import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMentionTest, createWordMeanings, WORD_FEATURES } from './word-meanings.ts';

const NOTHING = { about: '', subject: '', headings: '' };

describe('createWordMeanings', () => {
  const read = createWordMeanings('how do I delete a branch', 'en');
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
    const thai = createWordMeanings('ลบสาขา', 'th')({ ...NOTHING, text: 'ลบสาขา' });
    assert.deepEqual(
      thai,
      WORD_FEATURES.map(() => 0),
    );
    assert.ok(createWordMeanings('???', 'en')({ ...NOTHING, text: 'a' }).every((value) => value === 0));
  });
});

describe('createMentionTest', () => {
  const opened = 'It opened to traffic on 19 March 1932.';
  const mentions = (question: string, text: string, about = 'Harbour Bridge. ', language = 'en'): boolean =>
    createMentionTest(question, about, language)(text);

  it('finds what is asked about the subject, by the word, its stem or its meaning', () => {
    assert.ok(mentions('When did the Harbour Bridge open?', opened));
    assert.ok(mentions('When was the Harbour Bridge founded?', 'The company was established in 1878.'));
  });

  it('rejects a sentence on another event', () => {
    assert.ok(!mentions('When did the Harbour Bridge close?', opened));
    assert.ok(!mentions('Who painted the Harbour Bridge?', opened));
  });

  it('accepts all if nothing else is asked, if the subject is not known, and in other languages', () => {
    assert.ok(mentions('What is the Harbour Bridge?', opened));
    assert.ok(mentions('When did the Harbour Bridge close?', opened, ''));
    assert.ok(mentions('สะพานปิดเมื่อไหร่', 'สะพานเปิด', 'สะพาน. ', 'th'));
  });
});
