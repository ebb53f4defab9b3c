import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../contract/errors.ts';
import { authorizationToken } from './caller.ts';

/**
 * Lets the operator in: somebody on this machine, or whoever sends the token. A request that a proxy passed on comes from
 * elsewhere, however near the proxy is. Throws `Failure('forbidden')`.
 */
export function assertOperator(request: {
  headers: IncomingHttpHeaders;
  address: string;
  token: string | null;
}): void {
  const { headers, address, token } = request;
  const sent = authorizationToken(headers) ?? '';
  if (token !== null && isSame(sent, token)) return;
  if (isLoopback(address) && !PASSED_ON.some((name) => headers[name] !== undefined)) return;
  throw new Failure(
    'forbidden',
    'This is for the operator: call it on the machine itself, or send METRICS_TOKEN as a bearer token.',
  );
}

const PASSED_ON = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

const isLoopback = (address: string): boolean => /^(?:127\.|::1$|::ffff:127\.)/.test(address);

/** In the same time whatever differs. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
