import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findAnswers, readAskedAnswer } from './answer-types.ts';

/** The question, a text that answers it, and one about the same thing that does not. */
const ASKED: [question: string, group: string, answers: string, does: string][] = [
  ['How deep is the lake?', 'quantity', 'Its deepest point is 86 metres below.', 'It is very deep.'],
  ['How high is the tower?', 'quantity', 'The tower is 31 metres high.', 'It is seen from 22 miles away.'],
  ['How heavy is the bell?', 'quantity', 'The bell weighs 940 kilograms.', 'The bell was cast in 1911.'],
  ['How warm is the pool?', 'quantity', 'It is heated to 22 degrees.', 'It is 50 metres long.'],
  ['How old is she?', 'quantity', 'The 71-year-old cast a bell.', 'She has two sons.'],
  ['What does a ticket cost?', 'money', 'A day ticket is £7.', 'Tickets are sold at the gate.'],
  ['How long does it take?', 'duration', 'The ride lasts fifty minutes.', 'The ride is 20 kilometres long.'],
  ['How many people work there?', 'count', 'It employs seven people.', 'People like to work there.'],
  ['How many calories has it?', 'count', 'It has 240 calories.', 'Stir 350 g of rye into 400 ml of water.'],
  ['How many visitors come?', 'count', 'Some 9,000 visitors come.', 'Admission is £6.50 for adults.'],
  ['How often does it run?', 'frequency', 'It leaves every twelve minutes.', 'It leaves from the square.'],
  ['On which days is it open?', 'time', 'It opens on Mondays.', 'The machine was made in 1962.'],
  ['When did it close?', 'time', 'The closure came in 1954.', 'It closed after a fire.'],
  ['Who built it?', 'who', 'It was erected by Karin Holm.', 'It was built near Osterby in July.'],
  ['Who sells it?', 'who', 'It is sold by Ana Duarte.', 'It is bought from farms in Huila and Nariño.'],
  ['Where do they meet?', 'where', 'They meet in the old school.', 'They meet on Monday.'],
  ['Why is it closed?', 'why', 'It is closed because the stairs are bad.', 'It is closed.'],
  ['What caused his death?', 'why', 'He died in Rome of pneumonia.', 'He lived in Rome.'],
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
