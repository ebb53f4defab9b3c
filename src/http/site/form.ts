import { Failure } from '../../contract/errors.ts';
import type { Call } from '../calls/call.ts';

/*
 * Forms carry what they need in their own fields: a key, or the proof of a purchase. There are no cookies and nothing else
 * that a browser sends by itself, so a foreign page that posts here has no more rights than its own author: there is no
 * request to forge, and no token against it.
 */

/** No form of the site has as much to send. */
const FORM_BYTES_MAX = 16_384;

/** The fields of a form that was posted. Throws `Failure('request_too_large')`. */
export function formOf({ bytes }: Pick<Call, 'bytes'>): URLSearchParams {
  if (bytes.length > FORM_BYTES_MAX) throw new Failure('request_too_large', 'The form is larger than 16 KB.');
  return new URLSearchParams(new TextDecoder().decode(bytes));
}
