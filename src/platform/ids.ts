import { randomUUID } from 'node:crypto';

/** A new request id: `req_` and 32 hex digits. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}
