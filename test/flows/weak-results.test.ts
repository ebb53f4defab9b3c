import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { type RealServed, serveReal } from '../harness.ts';

type Result = { url: string; score: number; weak?: true };

const SECTIONS = [
  ['levels', 'A line below the level that is set is dropped before anything is made of it.'],
  ['transports', 'A worker thread sends what arrives over a pipe to files, sockets or a remote collector.'],
  ['formatters', 'Functions that rename keys, add a time stamp or turn numbers into text.'],
  ['children', 'Bindings given once are repeated on every line that the child writes.'],
  ['browser', 'Methods of the console stand in where there is no stream to write to.'],
  ['benchmarks', 'Ten thousand objects a second on a laptop, measured on three releases of the runtime.'],
  ['help', 'Rotate files with the tool of your system, and reopen them when a signal arrives.'],
] as const;
/** No word of its text but "logs" is one of the question below. */
const REDACTION = 'https://docs.example/redaction';

let app: RealServed;
before(async () => {
  app = await serveReal({ RECALL: 'index' });
  await app.services.index.put([
    ...SECTIONS.map(([name, text], place) =>
      page(`https://docs.example/${place}`, {
        title: `Logger: ${name}`,
        markdown: `# ${name}\n\n${text} All of this is about logs.`,
      }),
    ),
    page(REDACTION, {
      title: 'Redaction',
      markdown: '# Redaction\n\nPaths to the keys of an object that holds secrets are censored in the logs.',
    }),
    page('https://knots.example/knot', {
      title: 'The red knot',
      markdown: '# The red knot\n\nThe red knot is a wader. Red knots fly from the far north to the south.',
    }),
  ]);
});
after(() => app.close());

const search = async (body: object, path = '/v1/search'): Promise<Result[]> => {
  const { status, json, text } = await app.post(path, body);
  assert.equal(status, 200, text);
  return json.results;
};
const marks = (results: readonly Result[]): boolean[] => results.map(({ weak }) => weak === true);

describe('POST /v1/search over an index', () => {
  test('a page that shares one telling word with the question is a result, marked as weak', async () => {
    const results = await search({ query: 'hide passwords in logs', numResults: 25 });
    assert.equal(results.length, SECTIONS.length + 1);
    assert.ok(results.some(({ url, weak }) => url === REDACTION && weak === true));
  });

  test('the list is filled, best first, and weak results come last with scores of their own', async () => {
    const results = await search({ query: 'logger levels', numResults: 5 });
    assert.equal(results.length, 5);
    assert.equal(results[0]?.url, 'https://docs.example/0');
    assert.equal(results[0]?.weak, undefined);
    assert.deepEqual(marks(results), marks(results).toSorted());
    const scores = results.map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((left, right) => right - left),
    );
    assert.ok(scores.every((score) => score > 0));
  });

  test('minScore leaves out what scores less, in both spellings', async () => {
    const all = await search({ query: 'logger levels' });
    const least = all[0]?.score ?? 1;
    for (const name of ['minScore', 'min_score'])
      assert.deepEqual(
        await search({ query: 'logger levels', [name]: least }),
        all.filter(({ score }) => score >= least),
      );
    assert.deepEqual(await search({ query: 'hide passwords in logs', minScore: 1 }), []);
  });

  test('a topic worded as a question keeps the better part of its score', async () => {
    const [plain] = await search({ query: 'red knot' });
    for (const query of ['how do I find the red knot', 'what is the best way to get to know the red knot']) {
      const [worded] = await search({ query });
      assert.equal(worded?.url, plain?.url);
      assert.ok((worded?.score ?? 0) >= 0.8 * (plain?.score ?? 1), `${query}: ${worded?.score}`);
    }
  });

  test('nothing is found only where no page shares a telling word', async () => {
    assert.deepEqual(await search({ query: 'how do I use a quetzal' }), []);
    assert.equal((await search({ query: 'how to use logs or a quetzal' })).length > 0, true);
  });
});

test('POST /shapeB/search fills its list too, marks weak results and takes min_score', async () => {
  const asked = { query: 'hide passwords in logs', max_results: 8 };
  const results = await search(asked, '/shapeB/search');
  assert.equal(results.length, 8);
  assert.deepEqual(marks(results), marks(results).toSorted());
  assert.ok(results.some(({ weak }) => weak === true));
  assert.deepEqual(await search({ ...asked, min_score: 1 }, '/shapeB/search'), []);
});

function page(url: string, parts: Pick<IndexedPage, 'title' | 'markdown'>): IndexedPage {
  return {
    url,
    headings: [],
    publishedDay: null,
    language: 'en',
    site: null,
    author: null,
    rawChars: 100,
    fetchedAt: app.services.clock.now(),
    ...parts,
  };
}
