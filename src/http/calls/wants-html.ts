import type { IncomingHttpHeaders } from 'node:http';

/** Whether a browser asks: programs name JSON or nothing in particular. */
export function wantsHtml({ accept }: IncomingHttpHeaders): boolean {
  return /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*[,;]|\s*$))/i.test(accept ?? '');
}
