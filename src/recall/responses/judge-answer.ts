import type { SourceAnswer, SourceResponse } from '../source.ts';
import { readRetryAfterMs } from './retry-after.ts';

/** An answer that is not `ok`. */
export type BadAnswer = Exclude<SourceAnswer, { kind: 'ok' }>;

/** A page of results has about 100 KB; a larger answer than this is rejected, because parsing it would block other calls. */
export const ANSWER_CHARS_MAX = 2_097_152;
const MARKED_CHARS_MAX = 50_000;
const BOT_CHECK =
  /captcha|challenge-(?:form|platform)|cf-chl|just a moment|are you (?:a )?(?:human|robot)|(?:verify|prove)[^.<]{0,40}(?:human|robot)|unusual traffic|automated (?:queries|requests|access)|access denied/i;

export const createFailedAnswer = (why: string): BadAnswer => ({ kind: 'failed', why });
export const createRefusedAnswer = (why: string): BadAnswer => ({ kind: 'refused', why });

/** Judges an answer by its status and appearance; null if it can be parsed. */
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

const isBotCheck = (body: string): boolean => BOT_CHECK.test(body.slice(0, MARKED_CHARS_MAX));
