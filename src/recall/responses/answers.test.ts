import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import { computeNextDay, parseDay, toDayFromParts, toDayFromSeconds } from './answer-day.ts';
import { cleanText, stripHtml } from './loose-json.ts';
import { readRetryAfterMs, tidyItems } from './read-json.ts';

describe('days', () => {
  const texts: [text: string, day: string | null][] = [
    ['2024-03-05T09:12:44Z', '2024-03-05'],
    ['2024-03-05 00:00:00', '2024-03-05'],
    ['1887-11-01', '1887-11-01'],
    ['5 Mar 2024', '2024-03-05'],
    ['Tue, 05 Mar 2024 09:00:00 GMT', '2024-03-05'],
    ['2024-02-30', null],
    ['2024-13-01', null],
    ['2024', null],
    ['2024-03', null],
    ['', null],
    ['3 days ago', null],
  ];
  for (const [text, day] of texts)
    test(`${JSON.stringify(text)} is ${day}`, () => assert.equal(parseDay(text), day));

  test('seconds, parts and the next day', () => {
    assert.equal(toDayFromSeconds(1_709_629_964), '2024-03-05');
    assert.equal(toDayFromSeconds(1e18), null);
    assert.equal(toDayFromSeconds(null), null);
    assert.equal(toDayFromParts([2020, 5, 3]), '2020-05-03');
    assert.equal(toDayFromParts([2020, 5]), null);
    assert.equal(toDayFromParts(['2020', 5, 3]), null);
    assert.equal(toDayFromParts(null), null);
    assert.equal(computeNextDay('2024-02-28'), '2024-02-29');
    assert.equal(computeNextDay('2023-12-31'), '2024-01-01');
  });
});

describe('plain words', () => {
  const html: [html: string, text: string][] = [
    ['A <b>bold</b> word', 'A bold word'],
    ['<p>One</p><p>Two<br>Three', 'One Two Three'],
    ['a &lt;div&gt; &amp; more&#39;s &hellip;', "a <div> & more's …"],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['AT&T &copy 2024', 'AT&T &copy 2024'],
    ['<script>x</script>y', 'xy'],
    ['un\u200bseen\u202e \u0000 end', 'unseen end'],
    ['lone \ud83e half', 'lone \ufffd half'],
  ];
  for (const [source, text] of html)
    test(JSON.stringify(source), () => assert.equal(stripHtml(source, 100), text));

  test('text that is not HTML keeps its brackets', () => {
    assert.equal(cleanText('Vec<T>\n  and &amp;', 100), 'Vec<T> and &amp;');
  });

  test('it is cut between words, never inside a pair', () => {
    assert.equal(cleanText('one two three four', 12), 'one two…');
    assert.equal(cleanText('abcdefghijklmnop', 8), 'abcdefg…');
    assert.equal(cleanText('🦀🦀🦀🦀', 4), '🦀…');
  });

  test('hostile markup takes linear time', () => {
    const ms = cpuMsOf(() => {
      for (const piece of ['<', '<a', '<!--', '&', '&#', '</', '<a <b', ' '])
        stripHtml(piece.repeat(200_000), 500);
    });
    assert.ok(ms < 1_000, `${ms} ms`);
  });
});

describe('Retry-After', () => {
  const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
  const table: [headers: Record<string, string>, ms: number | null][] = [
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': ' 0 ' }, 0],
    [{ 'retry-after': '999999999' }, 86_400_000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT', date }, 30_000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, null],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT', date }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'x-ratelimit-reset': '1, 419704' }, 1_000],
    [{ 'x-ratelimit-reset': '1767225660', date }, 60_000],
    [{ 'x-ratelimit-reset': '1767225660' }, null],
    [{}, null],
  ];
  for (const [headers, ms] of table)
    test(JSON.stringify(headers), () => assert.equal(readRetryAfterMs(headers), ms));
});

test('addresses are written the usual way, so that two spellings are one', () => {
  const items = tidyItems(['HTTPS://A.example.org:443', 'https://a.example.org/'], (url) => ({
    url,
    title: 'T',
    snippet: '',
    publishedDay: null,
  }));
  assert.deepEqual(
    items?.map(({ url }) => url),
    ['https://a.example.org/'],
  );
});
