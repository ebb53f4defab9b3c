import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { readJsonLines } from '../../bench/search/read-json-lines.ts';
import { judgeByEye, sumUp, type Verdict } from '../../eval/manuals/by-eye.ts';
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
      ['context', false, false],
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
    seen(given(rewritten, 'Heavy.'), verdicts).map(({ what, right, isRead }) => [what, right, isRead]),
    [
      ['page', true, true],
      ['highlight', false, true],
      ['context', false, false],
      ['quotation', false, false],
    ],
  );
  const [, longer] = seen(given(`${long}Nothing more.`, null), verdicts);
  assert.equal(longer?.isRead, false, 'its end has not been read');
});

const three = {
  pages: [
    {
      url: 'https://birds.example/waders.html',
      highlights: ['Waders wade.', 'A knot weighs 190 g.', 'Knots of rope.'],
      prunedContext: 'Waders wade. A **knot** weighs 190 g.',
    },
    { url: 'https://birds.example/ropes.html', highlights: ['190 g'], prunedContext: 'Rope.' },
    { url: 'https://birds.example/knot.html', highlights: [], prunedContext: 'Heavy.' },
  ],
  quote: null,
};

test('one of three is enough, and is right only by what was read', () => {
  const verdict = (what: Verdict['what'], of: string, right: boolean): Verdict => ({
    id: 'birds-01',
    what,
    given: of,
    right,
  });
  const columns = (verdicts: Verdict[]) => {
    const { pageFirst, pageInThree, highlightFirst, highlightInThree } = sumUp(seen(three, verdicts));
    return [pageFirst, pageInThree, highlightFirst, highlightInThree].map(({ right, isRead }) => [
      right,
      isRead,
    ]);
  };
  assert.deepEqual(columns([]), [
    [false, false],
    [true, false],
    [false, false],
    [true, false],
  ]);
  const read = [
    verdict('page', 'waders.html', false),
    verdict('page', 'ropes.html', true),
    verdict('highlight', 'Waders wade.', false),
    verdict('highlight', 'A knot weighs 190 g.', false),
  ];
  assert.deepEqual(columns(read), [
    [false, true],
    [true, true],
    [false, true],
    [false, false],
  ]);
  assert.deepEqual(columns([...read, verdict('highlight', 'Knots of rope.', false)])[3], [false, true]);
});

test('a context is right by the passage that answers, and wrong as the whole that was read', () => {
  const contextOf = (of: typeof three, verdicts: Verdict[]) => sumUp(seen(of, verdicts)).context;
  const passage: Verdict = { id: 'birds-01', what: 'context', given: 'A knot weighs 190 g.', right: true };
  assert.deepEqual(contextOf(three, [passage]), { right: true, isRead: true });
  const other = { ...three, pages: three.pages.slice(1) };
  assert.deepEqual(contextOf(other, [passage]), { right: false, isRead: false });
  const given = seen(three, []).find(({ what }) => what === 'context')?.given ?? '';
  const wrong: Verdict = { id: 'birds-01', what: 'context', given, right: false, why: 'of one bird' };
  assert.deepEqual(contextOf(three, [wrong]), { right: false, isRead: true });
  assert.equal(contextOf(other, [wrong]).isRead, false);
});

test('each verdict of the file is of a question that is asked, once, and each question has its first page and highlight judged', () => {
  const asked: { id: string }[] = JSON.parse(readFileSync(join(FOLDER, 'questions.json'), 'utf8'));
  const verdicts = readJsonLines<Verdict>(join(FOLDER, 'by-eye.jsonl'));
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
