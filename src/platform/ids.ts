import { randomBytes } from 'node:crypto';

const TIME_DIGITS = 12;
const RANDOM_BYTES = 6;

/**
 * A new request id: `req_` and 24 hex digits, of which the first 12 are the time. New ids sort last, so that the ledger's
 * indexes grow at their end, and what is old lies together.
 */
export function newRequestId(): string {
  const time = Date.now().toString(16).padStart(TIME_DIGITS, '0');
  return `req_${time}${randomBytes(RANDOM_BYTES).toString('hex')}`;
}
