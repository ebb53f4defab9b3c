import { Failure } from '../../contract/errors.ts';
import type { Call } from '../calls/call.ts';

/*
 * Most forms carry their own credentials: a key, or those of a purchase, so that a foreign page that posts here gains nothing.
 * The pages that know their visitor by a cookie (account, console) also check a CSRF token of the session.
 */

/** Maximum bytes of a form; more than any form of the site sends. */
const FORM_BYTES_MAX = 16_384;

/** Parses the fields of a posted form. Throws `Failure('request_too_large')`. */
export function parseForm({ bytes }: Pick<Call, 'bytes'>): URLSearchParams {
  if (bytes.length > FORM_BYTES_MAX) throw new Failure('request_too_large', 'The form is larger than 16 KB.');
  return new URLSearchParams(new TextDecoder().decode(bytes));
}
