import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findAnswers, readAskedAnswer } from './answer-types.ts';

/** The question, a text that answers it, and one about the same thing that does not. */
const ASKED: [question: string, group: string, answers: string, does: string][] = [
  ['How deep is the lake?', 'quantity', 'Its deepest point is 86 metres below.', 'It is very deep.'],
  ['How heavy is the bell?', 'quantity', 'The bell weighs 940 kilograms.', 'The bell was cast in 1911.'],
  ['How warm is the pool?', 'quantity', 'It is heated to 22 degrees.', 'It is 50 metres long.'],
  ['How old is she?', 'quantity', 'The 71-year-old cast a bell.', 'She has two sons.'],
  ['What does a ticket cost?', 'money', 'A day ticket is £7.', 'Tickets are sold at the gate.'],
  ['How long does it take?', 'duration', 'The ride lasts fifty minutes.', 'The ride is 20 kilometres long.'],
  ['How many people work there?', 'count', 'It employs seven people.', 'People like to work there.'],
  ['How often does it run?', 'frequency', 'It leaves every twelve minutes.', 'It leaves from the square.'],
  ['When did it close?', 'time', 'The closure came in 1954.', 'It closed after a fire.'],
  ['Who built it?', 'who', 'It was erected by Karin Holm.', 'It was built near Osterby in July.'],
  ['Where do they meet?', 'where', 'They meet in the old school.', 'They meet on Monday.'],
  ['Why is it closed?', 'why', 'It is closed because the stairs are bad.', 'It is closed.'],
  ['What is a checkpoint?', 'sense', 'A checkpoint is a copy of the log.', 'After a checkpoint it is empty.'],
  ['Can I bring a dog?', 'verdict', 'Dogs cannot be carried.', 'Dogs bark.'],
];

describe('readAskedAnswer', () => {
  it('takes no word for another that begins with it', () => {
    for (const question of ['What does the dunlin feed on?', 'What do people feel there?'])
      assert.equal(readAskedAnswer(question), null, question);
  });

  for (const [question, group, answers, other] of ASKED)
    it(question, () => {
      const asked = readAskedAnswer(question);
      assert.equal(asked?.group, group);
      const count = (text: string): number =>
        asked === null ? 0 : findAnswers(asked, text, new Set(question.toLowerCase().split(/\W+/))).length;
      assert.ok(count(answers) > 0, answers);
      assert.equal(count(other), 0, other);
    });

  it('is null when the form of the answer is open', () => {
    assert.equal(readAskedAnswer('What did she study?'), null);
  });

  it('does not take words of the question for an answer', () => {
    const asked = readAskedAnswer('When does line 14 run in August?');
    assert.ok(asked !== null);
    assert.deepEqual(findAnswers(asked, 'In August it does not run.', new Set(['in', 'august'])), []);
  });
});
