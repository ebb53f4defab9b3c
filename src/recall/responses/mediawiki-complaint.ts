import type { SourceResponse } from '../source.ts';
import { cleanText, readTextAt } from './loose-json.ts';
import { type BadAnswer, createFailedAnswer, readRetryAfterMs } from './read-json.ts';

const CODE_CHARS_MAX = 40;

/** Reads the error that MediaWiki reports with status 200 (https://www.mediawiki.org/wiki/API:Errors_and_warnings); null if none. */
export function readMediawikiError(root: unknown, { headers }: SourceResponse): BadAnswer | null {
  const code = readTextAt(root, 'error', 'code');
  if (code === '') return null;
  return code === 'maxlag' || code === 'ratelimited'
    ? { kind: 'throttled', retryAfterMs: readRetryAfterMs(headers) }
    : createFailedAnswer(`MediaWiki error ${cleanText(code, CODE_CHARS_MAX)}`);
}
