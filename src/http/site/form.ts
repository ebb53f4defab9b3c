import type { Call } from '../call.ts';

/*
 * Forms carry what they need in their own fields: a key, or the proof of a purchase. There are no cookies and nothing else
 * that a browser sends by itself, so a foreign page that posts here has no more rights than its own author: there is no
 * request to forge, and no token against it.
 */

/** The fields of a form that was posted. */
export function formOf({ bytes }: Pick<Call, 'bytes'>): URLSearchParams {
  return new URLSearchParams(new TextDecoder().decode(bytes));
}
