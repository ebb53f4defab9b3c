import type { SourceResponse } from '../source.ts';
import { type BadAnswer, createFailedAnswer } from './judge-answer.ts';
import { readTextAt } from './loose-json.ts';
import { cleanText } from './plain-words.ts';
import { readRetryAfterMs } from './retry-after.ts';

const CODE_CHARS_MAX = 40;

/** The error that MediaWiki reports with status 200 (https://www.mediawiki.org/wiki/API:Errors_and_warnings). */
export function readMediawikiError(root: unknown, { headers }: SourceResponse): BadAnswer | null {
  const code = readTextAt(root, 'error', 'code');
  if (code === '') return null;
  return code === 'maxlag' || code === 'ratelimited'
    ? { kind: 'throttled', retryAfterMs: readRetryAfterMs(headers) }
    : createFailedAnswer(`MediaWiki error ${cleanText(code, CODE_CHARS_MAX)}`);
}
