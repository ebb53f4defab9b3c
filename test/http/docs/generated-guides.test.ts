import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { PACKS, RELOAD } from '../../../src/billing/ledger/prices.ts';
import { type FailureCode, STATUS_OF } from '../../../src/contract/errors.ts';
import * as limits from '../../../src/contract/limits.ts';
import { LIMITS } from '../../../src/http/calls/route-limits.ts';
import { ERROR_NOTES } from '../../../src/http/docs/error-notes.ts';

/** The guides that are tables of what the code says: UPDATE_DOCS=1 writes them. */

const isUpdating = process.env.UPDATE_DOCS === '1';

function hold(file: string, text: string): void {
  if (isUpdating) writeFileSync(file, text);
  assert.equal(readFileSync(file, 'utf8'), text, 'run with UPDATE_DOCS=1');
}

const figure = (value: number): string => value.toLocaleString('en');
const seconds = (ms: number): string => `${figure(ms / 1_000)} s`;
const megabytes = (bytes: number): string => `${figure(bytes / 1_048_576)} MB`;

type Row = [name: string, value: string];
const table = (head: Row, rows: Row[]): string =>
  [head, ['---', '---'] as Row, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

describe('docs/guides/errors.md', () => {
  test('lists every failure with its status, its meaning and what to do', () => {
    const codes = Object.entries(STATUS_OF) as [FailureCode, number][];
    const rowsOf = (isMetered: boolean): string =>
      codes
        .filter(([code]) => (ERROR_NOTES[code].metered ?? false) === isMetered)
        .map(
          ([code, status]) =>
            `| \`${code}\` | ${status} | ${ERROR_NOTES[code].when} | ${ERROR_NOTES[code].remedy} |`,
        )
        .join('\n');
    hold(
      'docs/guides/errors.md',
      `# Errors

Every failure is JSON with a code that never changes and a message for people. \`requestId\` finds the call in the log of the service.

| Code | Status | When | What to do |
| --- | --- | --- | --- |
${rowsOf(false)}

A call that succeeds may still lack something that there was no time for; [limits.md](limits.md) says how it is named.

## Keys and credits

<!-- metered -->

A call that fails costs no credits; a request without a key counts against the day's free requests even when it fails. Under \`/shapeB\` the status of \`insufficient_credits\` and \`keyless_limit\` is 432, because its clients expect that.

| Code | Status | When | What to do |
| --- | --- | --- | --- |
${rowsOf(true)}

## Bodies

| Paths | Body |
| --- | --- |
| \`/v1\`, \`/r\`, \`/search\`, \`/contents\` and the other short names | \`{"error": code, "message": text, "requestId": id}\`; a \`validation_error\` adds \`details\`, a list of \`{"field", "message"}\` |
| \`/shapeB\` | \`{"detail": {"error": text}}\`: the code, for some errors with what to do |
| \`/v2\`, \`/firecrawl\` | \`{"success": false, "error": text, "code": code}\` |
| \`/pplx\`, \`/linkup\`, \`/res\` | as their clients expect: the code and the text in \`error\`. Under \`/linkup\` wrong requests and pages that cannot be read are 400 with Linkup's codes, such as \`FETCH_TARGET_NOT_FOUND\` |
| \`/searxng\`, \`/openwebui\` | \`{"error": text, "code": code}\` |

## One of several pages

Where a call reads several pages, a page that fails does not fail the call: \`statuses\` of \`/v1/contents\` has an entry for each URL with a \`tag\` such as \`CRAWL_NOT_FOUND\`, \`CRAWL_TIMEOUT\` or \`UNSUPPORTED_URL\`, and the HTTP status of the page.
`,
    );
  });

  test('every code is used in a note of its own', () => {
    const notes = Object.values(ERROR_NOTES).map(({ when }) => when);
    assert.equal(new Set(notes).size, notes.length);
  });
});

describe('docs/guides/limits.md', () => {
  test('has every number that the interface promises', () => {
    const requests: Row[] = [
      ['Query or question', `1 to ${figure(limits.QUERY_CHARS_MAX)} characters`],
      [
        'Results of a search',
        `at most ${limits.RESULTS_MAX}; default ${limits.RESULTS_DEFAULT}, under \`/shapeB\` ${limits.SHAPE_B_RESULTS_DEFAULT}`,
      ],
      ['URLs in one `/v1/contents`', `1 to ${limits.CONTENTS_URLS_MAX}`],
      ['URLs in one `/shapeB/extract`', `1 to ${limits.EXTRACT_URLS_MAX}`],
      ['Domains in one filter', `at most ${limits.DOMAIN_FILTERS_MAX}`],
      ['Additional queries of a search', `at most ${limits.ADDITIONAL_QUERIES_MAX}`],
      ['Subpages', `at most ${limits.SUBPAGES.perPageMax} of a page and ${limits.SUBPAGES.max} of a call`],
      [
        'Quotations of one `/v1/verify`',
        `at most ${limits.QUOTES_MAX}, of ${figure(limits.QUOTE_CHARS_MAX)} characters each`,
      ],
      ['Documents of one `/v1/rerank`', `at most ${figure(limits.RERANK.documentsMax)}`],
      [
        'Pages of a crawl, of a map',
        `at most ${figure(limits.SITE.pages.crawlMax)}, ${figure(limits.SITE.pages.mapMax)}; default ${limits.SITE.pages.default}`,
      ],
      ['Pages of a background job', `at most ${figure(limits.JOBS.keyed.pagesMax)}`],
      [
        'Searches, pages of a research',
        `at most ${limits.RESEARCH.searches.max}, ${limits.RESEARCH.pages.max}`,
      ],
      ['Highlight', `${limits.HIGHLIGHT_CHARS_MIN} to ${limits.HIGHLIGHT_CHARS_MAX} characters`],
      [
        'Request body',
        `at most ${megabytes(limits.REQUEST_BYTES_MAX)}; ${megabytes(limits.UPLOAD_BYTES_MAX)} for a file`,
      ],
      ['URL of a page', `at most ${figure(limits.URL_CHARS_MAX)} characters`],
      [
        'Nesting of a JSON body',
        `at most ${limits.JSON_DEPTH_MAX} levels and ${figure(limits.JSON_VALUES_MAX)} names and values`,
      ],
    ];
    const pages: Row[] = [
      ['Size', `at most ${megabytes(limits.PAGE_BYTES_MAX)}`],
      ['Time to fetch', `at most ${seconds(limits.PAGE_TIMEOUT_MS)}`],
      ['Redirects', `at most ${limits.PAGE_REDIRECTS_MAX}`],
      [
        'CPU time to read',
        `at most ${seconds(limits.PAGE_CPU_MS)}, for documents ${seconds(limits.DOCUMENT_CPU_MS)}`,
      ],
      ['Links, pictures returned', `at most ${limits.PAGE_LINKS_MAX} of each`],
    ];
    const times: Row[] = [
      ['Search', seconds(LIMITS.search.ms)],
      ['Reading pages', seconds(LIMITS.pages.ms)],
      ['Similar pages', seconds(LIMITS.similar.ms)],
      ['Research', seconds(LIMITS.research.ms)],
      ['Crawl or map of a site', seconds(LIMITS.site.ms)],
      ['Ranking documents', seconds(LIMITS.rerank.ms)],
      ['Waiting for a turn, before that', seconds(limits.CALL_WAIT_MS_MAX)],
    ];
    const credits: Row[] = [
      [
        'Requests without a key',
        `${limits.KEYLESS_REQUESTS_PER_DAY} for each IP address and UTC day, unless the operator sets another number; an IPv6 /64 counts as one`,
      ],
      [
        'Requests with a key',
        'no limit by the minute or day, unless the operator sets one; each call is limited by the credits of the key alone',
      ],
      ['Free key', '2,500 credits, one for each network'],
      [
        'Packs',
        Object.entries(PACKS)
          .map(
            ([pack, { priceUsd, credits: count }]) => `${pack}: ${figure(count)} credits for ${priceUsd} USD`,
          )
          .join('; '),
      ],
      [
        'Threshold of auto-reload',
        `${RELOAD.thresholdMin} to ${figure(RELOAD.thresholdMax)} credits; default ${figure(RELOAD.threshold)}`,
      ],
      ['Cap of auto-reload', `at most ${RELOAD.capUsdMax} USD a month through the API`],
      ['Pages of a crawl without a key', `at most ${limits.SITE.pages.keylessMax}`],
    ];
    hold(
      'docs/guides/limits.md',
      `# Limits

The numbers are the same on every server, unless a line says that the operator sets them. A request beyond a limit gets 422 \`validation_error\`; only a number of results that is too high is lowered to the limit.

## Requests

${table(['What', 'Limit'], requests)}

## Pages that are read

${table(['What', 'Limit'], pages)}

## Time

A call that has nothing to return by then ends with an error.

${table(['Call', 'At most'], times)}

## What there was no time for

A call that has something to return by then returns it, and names what is missing: in the header \`X-Incomplete\`, and in \`service.incomplete\` where the shape has a \`service\`. A shorter time that you set yourself (\`livecrawlTimeout\`, \`timeout\`) counts in the same way.

| Name | What it means |
| --- | --- |
| \`answer\` | No passage was looked for to the end. \`answer\` is null, which says nothing about whether there is one. |
| \`highlights\`, \`summary\` | Some pages have none. In a search, the passage of the source stands in for the highlights. |
| \`prunedContext\` | Some pages have none; a page that is read by itself (\`/r?q=\`) is returned whole. |
| \`text\` | Plain text was asked for, and some pages are Markdown. |
| \`pages\` | Some results were not opened in time; they have the passage of their source. |
| \`subpages\` | Some subpages, or parts of them, are missing. |
| \`results\` | The local index, or a further question to the sources, was not waited for. |
| \`ranking\` | The operator's model had no time to order the results. |

An incomplete answer is never cached, so the next call may get all of it.

It is free if what is missing is what the call is for: an answer, a page pruned for a question, a page without its requested parts, a search without a result. A search with results costs its credit. "No passage answers" is an answer. <!-- metered -->

## Capacity

A server that has had more to do than it can for a while refuses calls at once with 503 \`overloaded\` and \`Retry-After\`, and takes nothing for them. A burst may wait: up to ${figure(limits.CALLS_WAITING_MAX)} calls may wait for their turn. Beyond that, the caller with the most waiting calls gets 503 \`overloaded\` with \`Retry-After\`. A caller may have ${limits.CALLS_AT_ONCE_MAX / 2} calls running at once while nobody else calls; otherwise callers share fairly.

## Keys and credits

<!-- metered -->

${table(['What', 'Limit'], credits)}
`,
    );
  });
});
