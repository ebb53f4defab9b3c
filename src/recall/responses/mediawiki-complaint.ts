import type { SourceResponse } from '../source.ts';
import { type BadAnswer, failed } from './judge-answer.ts';
import { textAt } from './loose-json.ts';
import { plainOfText } from './plain-words.ts';
import { retryAfterMs } from './retry-after.ts';

const CODE_CHARS_MAX = 40;

/** The error that MediaWiki reports with status 200 (https://www.mediawiki.org/wiki/API:Errors_and_warnings). */
export function mediawikiComplaint(root: unknown, { headers }: SourceResponse): BadAnswer | null {
  const code = textAt(root, 'error', 'code');
  if (code === '') return null;
  return code === 'maxlag' || code === 'ratelimited'
    ? { kind: 'throttled', retryAfterMs: retryAfterMs(headers) }
    : failed(`MediaWiki error ${plainOfText(code, CODE_CHARS_MAX)}`);
}
