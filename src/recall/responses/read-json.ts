/**
 * Reads JSON answers of sources into items, or into a classified bad answer. Never throws, whatever the source sends.
 * Each source supplies only where its entries are and how to read one; status codes, bot checks and bounds are handled here.
 */

import { Failure } from '../../contract/errors.ts';
import { URL_CHARS_MAX } from '../../contract/limits.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { createAddressPolicy } from '../../platform/net/address.ts';
import { judgeUrl } from '../../platform/net/check-url.ts';
import { parseRetryAfter } from '../../platform/net/fetch-types.ts';
import type { SourceAnswer, SourceItem, SourceResponse } from '../source.ts';

/** Maximum pause: one day. */
const RETRY_AFTER_MS_MAX = DAY_MS;
const clampPause = (ms: number): number => Math.min(Math.max(Math.ceil(ms), 0), RETRY_AFTER_MS_MAX);
/** Maximum characters of an answer; parsing a larger one would block other calls. A page of results has about 100 KB. */
const ANSWER_CHARS_MAX = 2_097_152;
const MARKED_CHARS_MAX = 50_000;
const BOT_CHECK =
  /captcha|challenge-(?:form|platform)|cf-chl|just a moment|are you (?:a )?(?:human|robot)|(?:verify|prove)[^.<]{0,40}(?:human|robot)|unusual traffic|automated (?:queries|requests|access)|access denied/i;
export const createFailedAnswer = (why: string): BadAnswer => ({ kind: 'failed', why });
export const createRefusedAnswer = (why: string): BadAnswer => ({ kind: 'refused', why });
const isBotCheck = (body: string): boolean => BOT_CHECK.test(body.slice(0, MARKED_CHARS_MAX));

/** Maximum results taken from one answer, and maximum entries read to find them. */
export const ITEMS_MAX = 100;
export const ENTRIES_MAX = 1_000;
export const TITLE_CHARS_MAX = 300;
export const SNIPPET_CHARS_MAX = 500;
/** Only public addresses are accepted from a source. Which pages may be opened is decided when they are opened. */
const PUBLIC = createAddressPolicy({ allowPrivate: [], ownAddresses: () => [] });

type JsonReader = {
  /** Classifies an error that the source reports in its body; null leaves it to the status. Called for every status. */
  complaint?(root: unknown, status: number): BadAnswer | null;
  /** Reads the list of results; null if the answer has an unexpected shape. */
  entries(root: unknown): unknown[] | null;
  item(entry: unknown, root: unknown): SourceItem | null;
  /** True (the default) if an empty list is trusted as the source's answer. */
  emptyIsProven?: boolean;
  quotaLeft?(root: unknown, response: SourceResponse): number | null;
  pauseMs?(root: unknown): number | null;
};

/** Reads an answer in JSON. Never throws: anything else becomes a bad answer. */
export function readJson(response: SourceResponse, reader: JsonReader): SourceAnswer {
  const bad = judgeAnswer(response, 'json');
  const root =
    bad === null || response.body.length <= ANSWER_CHARS_MAX ? parseJson(response.body) : undefined;
  const complaint = root === undefined ? null : (reader.complaint?.(root, response.status) ?? null);
  if (complaint !== null) return complaint;
  if (bad !== null) return bad;
  if (root === undefined) return createFailedAnswer('broken JSON');
  const entries = reader.entries(root);
  const items = entries === null ? null : tidyItems(entries, (entry) => reader.item(entry, root));
  if (entries === null || items === null) return createFailedAnswer('the answer has an unexpected shape');
  const pauseMs = reader.pauseMs?.(root) ?? null;
  return {
    kind: 'ok',
    items,
    proven: entries.length > 0 || reader.emptyIsProven !== false,
    quotaLeft: reader.quotaLeft?.(root, response) ?? null,
    ...(pauseMs === null ? {} : { pauseMs }),
  };
}

/** Parses JSON; undefined for anything else. Nesting needs no bound: this parser does not recurse. */
function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Parses the last number of a header such as `x-ratelimit-remaining: 1, 1832`. */
export function parseLastNumber(header: string | undefined): number | null {
  const digits = /(?:^|,)\s*(\d{1,12})\s*$/.exec(header ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}

/**
 * Converts the entries of an answer into results: each address once, http(s), textually public, without credentials; others are
 * dropped. `read` returns null for an entry that is not a result. Returns null if no entry has an address and a title: the answer
 * then has an unexpected shape.
 */
export function tidyItems<Entry>(
  entries: readonly Entry[],
  read: (entry: Entry) => SourceItem | null,
): SourceItem[] | null {
  const found = new Map<string, SourceItem>();
  let readable = 0;
  for (const entry of entries.slice(0, ENTRIES_MAX)) {
    const item = read(entry);
    if (item === null || item.url === '' || item.title === '') continue;
    readable += 1;
    const url = parsePublicUrl(item.url);
    if (url !== null && !found.has(url)) found.set(url, { ...item, url });
    if (found.size >= ITEMS_MAX) break;
  }
  return readable === 0 && entries.length > 0 ? null : [...found.values()];
}

function parsePublicUrl(text: string): string | null {
  if (text.length > URL_CHARS_MAX) return null;
  try {
    return judgeUrl(text.trim(), PUBLIC).href;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** An answer that is not `ok`. */
export type BadAnswer = Exclude<SourceAnswer, { kind: 'ok' }>;

/** Judges an answer by its status and the look of its body; null if it can be parsed. */
export function judgeAnswer(response: SourceResponse, expected: 'json' | 'xml'): BadAnswer | null {
  const { status, headers, body } = response;
  const wait = readRetryAfterMs(headers);
  if (status === 429) return { kind: 'throttled', retryAfterMs: wait };
  if (isPage(body, expected) && isBotCheck(body)) return { kind: 'blocked', why: 'a bot check' };
  if (status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined))
    return { kind: 'throttled', retryAfterMs: wait };
  if (status === 503 && headers['retry-after'] !== undefined)
    return { kind: 'throttled', retryAfterMs: wait };
  if (status === 401 || status === 402 || status === 403) return createRefusedAnswer(`status ${status}`);
  if (status !== 200) return createFailedAnswer(`status ${status}`);
  if (body.length > ANSWER_CHARS_MAX) return createFailedAnswer('the answer is too large');
  if (body.trim() === '') return createFailedAnswer('an empty answer');
  return isPage(body, expected) ? createFailedAnswer('a web page instead of data') : null;
}

function isPage(body: string, expected: 'json' | 'xml'): boolean {
  const start = body.slice(0, 1_000).trimStart();
  return expected === 'json' ? start.startsWith('<') : /^(?:<!doctype html|<html|<head|<body)/i.test(start);
}

type Headers = Record<string, string>;

/**
 * Reads the pause that a source asks for, in milliseconds: `Retry-After` in seconds or as a date (relative to the answer's own `Date`),
 * otherwise the reset time in headers like GitHub's. Null if there is none.
 */
export function readRetryAfterMs(headers: Headers): number | null {
  const now = Date.parse(headers.date ?? '');
  const retryAfter = parseRetryAfter(headers['retry-after'], now);
  return retryAfter === null ? computeMsUntilReset(headers, now) : clampPause(retryAfter);
}

/** Reads `x-ratelimit-reset`: seconds since 1970 (GitHub), or seconds from now for the first of several windows (Brave). */
function computeMsUntilReset(headers: Headers, now: number): number | null {
  const reset = /^\d{1,12}/.exec(headers['x-ratelimit-reset']?.trim() ?? '')?.[0];
  if (reset === undefined) return null;
  const seconds = Number(reset);
  if (seconds < 1_000_000_000) return clampPause(seconds * 1_000);
  return Number.isNaN(now) ? null : clampPause(seconds * 1_000 - now);
}
