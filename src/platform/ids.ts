import { randomFillSync } from 'node:crypto';

const TIME_DIGITS = 12;
const RANDOM_BYTES = 6;
/** Random bytes, drawn for many ids at once. */
const pool = Buffer.allocUnsafe(512 * RANDOM_BYTES);
let drawn = pool.length;

/**
 * Creates a request id: `req_` and 24 hex digits, of which the first 12 are the time. New ids sort last, so that the ledger's indexes grow
 * at their end and old rows are adjacent.
 */
export function createRequestId(): string {
  const time = Date.now().toString(16).padStart(TIME_DIGITS, '0');
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const random = pool.toString('hex', drawn, drawn + RANDOM_BYTES);
  drawn += RANDOM_BYTES;
  return `req_${time}${random}`;
}
