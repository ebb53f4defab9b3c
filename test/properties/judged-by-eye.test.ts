import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { judgeByEye, readVerdicts, type Verdict } from '../../eval/manuals/by-eye.ts';
import { judge } from '../../eval/manuals/judge.ts';

const FOLDER = resolve(import.meta.dirname, '../../eval/manuals');
const QUESTION = {
  id: 'birds-01',
  manual: 'birds',
  question: 'how heavy is a knot',
  pages: ['knot.html'],
  answers: [/190 g/],
};
const long = `A knot weighs **190 g** at [most](https://birds.example/most). ${'It breeds in the far north. '.repeat(9)}`;
const given = (highlight: string, quote: string | null) => ({
  pages: [{ url: 'https://birds.example/waders.html', highlights: [highlight], prunedContext: '' }],
  quote,
});
const seen = (of: ReturnType<typeof given>, verdicts: Verdict[]) =>
  judgeByEye('birds-01', of, { judged: judge(QUESTION, of), verdicts });

test('what nobody has read is judged by the pattern, and what is not given not at all', () => {
  assert.deepEqual(
    seen(given(long, null), []).map(({ what, right, isRead }) => [what, right, isRead]),
    [
      ['page', false, false],
      ['highlight', true, false],
    ],
  );
});

test('a verdict holds for the text that was read, whatever its marks and links', () => {
  const [page, highlight] = seen(given(long, null), []);
  assert.ok(page !== undefined && highlight !== undefined);
  const verdicts: Verdict[] = [
    { id: 'birds-01', what: 'page', given: page.given, right: true, why: 'names the weight' },
    { id: 'birds-01', what: 'highlight', given: highlight.given, right: false, why: 'of another knot' },
    { id: 'birds-02', what: 'quotation', given: 'Heavy.', right: true, why: 'of another question' },
  ];
  const rewritten = long.replaceAll('**', '').replace('/most', '/other');
  assert.deepEqual(
    seen(given(rewritten, 'Heavy.'), verdicts).map(({ right, isRead }) => [right, isRead]),
    [
      [true, true],
      [false, true],
      [false, false],
    ],
  );
  const [, longer] = seen(given(`${long}Nothing more.`, null), verdicts);
  assert.equal(longer?.isRead, false, 'its end has not been read');
});

test('each verdict of the file is of a question that is asked, once, and each question has its first page and highlight judged', () => {
  const asked: { id: string }[] = JSON.parse(readFileSync(join(FOLDER, 'questions.json'), 'utf8'));
  const verdicts = readVerdicts(join(FOLDER, 'by-eye.jsonl'));
  const keys = verdicts.map(({ id, what, given }) => `${id} ${what} ${given}`);
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(
    verdicts.filter(({ id }) => !asked.some((one) => one.id === id)),
    [],
  );
  for (const what of ['page', 'highlight'])
    assert.deepEqual(
      asked.filter(({ id }) => !verdicts.some((one) => one.id === id && one.what === what)),
      [],
    );
});
