/**
 * Decides whether a page may be indexed and shared with other callers, from its addresses, response headers and robots directives. It
 * only decides; callers keep private pages out of the caches and the index.
 */
import type { Article, Privacy, PrivateReason } from '../article.ts';
import { parseRobotsHeader } from '../extract/metadata/robots-directives.ts';
import { hasSecret } from './secret-in-address.ts';

/** The response of one address; header names in lower case. */
type AddressAnswer = { url: string; headers: Record<string, string> };

export type PageAnswers = {
  /** The address that the caller asked for; the page may be read from another. */
  asked: string;
  /** Redirects in order, then the page. */
  answers: readonly AddressAnswer[];
  /** The page's own directives. */
  robots: Article['robots'];
};

/**
 * Returns why a page is private to its reader, or null if it may be indexed and shared with other callers. Every address on the way to it
 * counts: all up to the last objection are private; later ones are not judged.
 */
export function determinePrivacy({ asked, answers, robots }: PageAnswers): Privacy | null {
  const steps: { url: string; reason: PrivateReason | null }[] = [
    { url: asked, reason: hasSecret(asked) ? 'secret_in_address' : null },
    ...answers.map((answer) => ({ url: answer.url, reason: findObjection(answer) })),
  ];
  const last = steps.at(-1);
  if (last !== undefined && !robots.index) last.reason ??= 'noindex';
  const at = steps.findLastIndex(({ reason }) => reason !== null);
  const reason = steps[at]?.reason ?? null;
  if (reason === null) return null;
  return { reason, addresses: [...new Set(steps.slice(0, at + 1).map(({ url }) => url))] };
}

/**
 * Returns the first objection to sharing a response. Pages are fetched without cookies and credentials, so `Vary: Cookie` and
 * `Set-Cookie` do not make them private; `Vary: *` means that no two readers see the same page.
 */
function findObjection({ url, headers }: AddressAnswer): PrivateReason | null {
  if (hasSecret(url)) return 'secret_in_address';
  const cacheControl = headers['cache-control'] ?? '';
  if (/(?:^|[\s,])no-store(?:$|[\s,;=])/i.test(cacheControl)) return 'no_store';
  if (/(?:^|[\s,])private(?:$|[\s,;=])/i.test(cacheControl)) return 'private';
  if (/(?:^|[\s,])\*/.test(headers.vary ?? '')) return 'varies';
  return parseRobotsHeader(headers['x-robots-tag']).index ? null : 'noindex';
}
