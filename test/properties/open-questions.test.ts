import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { judgeFound, shareWithin } from '../../eval/open-questions/judge.ts';
import { readQuestions } from '../../eval/open-questions/read-questions.ts';

const KNOT = {
  question: 'How heavy is a knot, "at most"?',
  answer: '190 g',
  urls: ['https://en.wikipedia.org/wiki/Red_knot', 'https://birds.example/knot'],
};

test('questions are read from JSON lines and from tables with quoted cells', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'open-questions-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  assert.deepEqual(readQuestions(write('a.jsonl', `${JSON.stringify(KNOT)}\n\n`), ''), [KNOT]);
  const table = `metadata,problem,answer\r\n"{'urls': ['${KNOT.urls.join("', '")}']}","How heavy is a knot, ""at most""?",190 g\r\n`;
  assert.deepEqual(readQuestions(write('b.csv', table), 'question=problem,urls=metadata'), [KNOT]);
});

test('a source is known in other spellings of its address, an answer by its words alone', () => {
  const pages = [
    { url: 'https://birds.example/list', text: 'It weighs 1190 grams, or 190 gg.' },
    { url: 'https://en.m.wikipedia.org/wiki/Red%20knot', text: 'No figure.' },
    { url: 'https://waders.example/', text: 'Up to **190&nbsp;g**, or 190 g.' },
  ];
  const found = judgeFound(KNOT, pages);
  assert.deepEqual([found.source, found.answer], [2, 3]);
  const none = judgeFound({ ...KNOT, answer: '' }, []);
  assert.deepEqual([none.source, none.answer], [null, null]);
  assert.equal(shareWithin([found, none], 'source', 1), 0);
  assert.equal(shareWithin([found, none], 'source', 3), 0.5);
});
