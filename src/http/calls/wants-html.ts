import type { IncomingHttpHeaders } from 'node:http';

/** Returns true if the client is a browser: programs accept JSON or anything. */
export function wantsHtml({ accept }: IncomingHttpHeaders): boolean {
  return /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*[,;]|\s*$))/i.test(accept ?? '');
}
