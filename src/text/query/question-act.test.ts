import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stemWord } from '../words/stems.ts';
import { detectAskedAct } from './passage-query.ts';

const isAlike = (question: string, verb: string): boolean =>
  detectAskedAct(question)?.stems.has(stemWord(verb, 'en')) ?? false;

describe('detectAskedAct', () => {
  test('a verb is answered with the verbs that do the same', () => {
    assert.ok(isAlike('how do I turn on WAL', 'enable'));
    assert.ok(isAlike('turn foreign keys on', 'activate'));
    assert.ok(isAlike('how can I switch it off?', 'disable'));
    assert.ok(isAlike('stop the server from logging', 'suppress'));
    assert.ok(isAlike('hide passwords in logs', 'redact'));
    assert.ok(isAlike('how to limit the size of uploads', 'maximum'));
    assert.ok(isAlike('Is there a way to change the port', 'configure'));
  });

  test('on is not off', () => {
    assert.equal(isAlike('turn on compression', 'disable'), false);
    assert.equal(isAlike('turn off compression', 'enable'), false);
  });

  test('any verb after "how do I", which then stands for itself alone', () => {
    assert.deepEqual(detectAskedAct('how do I squash two commits'), { said: 'squash', stems: new Set() });
  });

  test('other questions ask for no act', () => {
    for (const question of ['what is WAL', 'who set the record', 'when did it stop', 'WAL mode', ''])
      assert.equal(detectAskedAct(question), null, question);
  });
});
