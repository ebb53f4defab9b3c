import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Failure } from '../../src/contract/errors.ts';
import { createGuardedFetch } from '../../src/platform/net/guarded-fetch.ts';
import { ITEMS_MAX } from '../../src/recall/responses/read-json.ts';
import type { SourceAnswer, SourceSpec } from '../../src/recall/source.ts';
import { ALL_SOURCES } from '../../src/recall/sources/all-sources.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { UPSTREAM_NAMES, type UpstreamItem, type UpstreamName } from '../fixtures/upstream/bodies.ts';
import { RECORDED_ANSWERS } from '../fixtures/upstream/recorded-answers.ts';
import { startUpstream, UPSTREAM_MODES, type Upstream, type UpstreamMode } from '../fixtures/upstream.ts';

/** Every source, asked through the guarded fetch of an upstream in every mood. */
const ASK_MS_MAX = 10_000;
const HANG_MS = 100;
/** More than any answer has, so that the reading is what refuses the huge one. */
const ANSWER_BYTES_MAX = 20_000_000;
const ITEMS: UpstreamItem[] = [
  { url: 'https://one.example.org/a?b=1', title: 'One', snippet: 'First words.', publishedDay: '2024-02-29' },
  { url: 'https://two.example.org/', title: 'Two', snippet: '', publishedDay: null },
];

let upstream: Upstream;
const network = createGuardedFetch({ allowPrivate: ['127.10.0.0/16'] });
before(async () => {
  upstream = await startUpstream();
});
after(async () => {
  await network.close();
  await upstream.close();
});

test('every source can be played, and every play is a source', () => {
  assert.deepEqual(ALL_SOURCES.map(({ name }) => name).toSorted(), [...UPSTREAM_NAMES].toSorted());
});

/** Their addresses are made from titles or numbers. */
const MAKES_ITS_URLS: ReadonlySet<string> = new Set(['wikipedia']);

type Expectation = (answer: SourceAnswer, name: UpstreamName) => void;
const isKind =
  (kind: SourceAnswer['kind']): Expectation =>
  (answer) =>
    assert.equal(answer.kind, kind, JSON.stringify(answer).slice(0, 300));

const EXPECTED: Partial<Record<UpstreamMode, Expectation>> = {
  empty: (answer, name) => {
    assert.ok(answer.kind === 'ok' && answer.items.length === 0, JSON.stringify(answer));
    assert.equal(answer.proven, name !== 'searxng');
  },
  slow: isKind('ok'),
  '401': isKind('refused'),
  '403': isKind('refused'),
  '429': (answer) => assert.deepEqual(answer, { kind: 'throttled', retryAfterMs: 7_000 }),
  '500': isKind('failed'),
  captcha: isKind('blocked'),
  html: isKind('failed'),
  nothing: isKind('failed'),
  garbage: isKind('failed'),
  truncated: isKind('failed'),
  'wrong-types': isKind('failed'),
  '10mb': isKind('failed'),
  hostile: (answer, name) => {
    assert.ok(answer.kind === 'ok', JSON.stringify(answer));
    const urls = answer.items.map(({ url }) => url);
    if (name === 'wikipedia') assert.deepEqual(urls, ['https://en.wikipedia.org/wiki/A_good_page']);
    else
      assert.ok(
        urls.every(
          (url) => url === 'https://good.example.org/page' || url.startsWith('https://news.ycombinator.com/'),
        ),
        String(urls),
      );
    assert.ok(urls.length >= 1 && urls.length <= ITEMS_MAX);
  },
};

for (const spec of ALL_SOURCES) {
  const name = nameOf(spec);
  describe(name, () => {
    test('its recorded answer', async () => {
      upstream.play(name, { mode: 'recorded' });
      assert.deepEqual(await ask(spec), recordedAnswer(name));
    });
    test('scripted results, in their order', async () => {
      upstream.play(name, { mode: 'ok', items: ITEMS });
      const answer = await ask(spec);
      assert.equal(answer.kind, 'ok');
      if (answer.kind !== 'ok') return;
      assert.deepEqual(
        answer.items.map(({ title }) => title),
        ['One', 'Two'],
      );
      if (!MAKES_ITS_URLS.has(name))
        assert.deepEqual(
          answer.items.map(({ url }) => url),
          ITEMS.map(({ url }) => url),
        );
      for (const { publishedDay } of answer.items)
        assert.ok(publishedDay === null || publishedDay === '2024-02-29');
    });
    for (const mode of UPSTREAM_MODES.filter((mode) => EXPECTED[mode] !== undefined)) {
      test(`${mode}`, async () => {
        upstream.play(name, { mode, items: ITEMS, delayMs: 0 });
        const answer = await ask(spec);
        EXPECTED[mode]?.(answer, name);
      });
    }
    test('down and hang: no answer at all, and nothing that lasts', async () => {
      upstream.play(name, { mode: 'down' });
      await assert.rejects(ask(spec), hasReason('connect', 'protocol'));
      upstream.play(name, { mode: 'hang' });
      await assert.rejects(ask(spec, HANG_MS), hasReason('timeout'));
    });
  });
}

const hasReason =
  (...reasons: string[]) =>
  (error: unknown): boolean =>
    error instanceof Failure && reasons.includes(error.fetch?.reason ?? '');

async function ask(spec: SourceSpec, timeoutMs = ASK_MS_MAX): Promise<SourceAnswer> {
  const request = spec.request(
    {
      query: readQuery('how to read a tide table'),
      limit: 20,
      includeDomains: [],
      excludeDomains: [],
      publishedFrom: null,
      publishedTo: null,
    },
    {
      baseUrl: upstream.baseUrl(nameOf(spec)),
      key: 'a-key',
      userAgent: 'Test/1.0',
      contact: 'a@example.org',
    },
  );
  const response = await network.fetch({ ...request, timeoutMs, bytesMax: ANSWER_BYTES_MAX });
  return spec.read({ ...response, body: new TextDecoder().decode(response.body) });
}

function nameOf({ name }: SourceSpec): UpstreamName {
  const known = UPSTREAM_NAMES.find((one) => one === name);
  assert.ok(known !== undefined, name);
  return known;
}

function recordedAnswer(name: UpstreamName): SourceAnswer {
  const { items, quotaLeft = null } = RECORDED_ANSWERS[name];
  return { kind: 'ok', items, proven: true, quotaLeft };
}
