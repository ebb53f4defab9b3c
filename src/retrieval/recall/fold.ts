import type { Candidate } from '../page.ts';

/** Candidates best first -> the same without those whose address is, but for its spelling, that of a better one. */
export function foldSameAddress(candidates: Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ url }) => {
    const address = spellingOf(url);
    if (seen.has(address)) return false;
    seen.add(address);
    return true;
  });
}

/** What is left of an address when scheme, `www.`, fragment, a slash at the end and an index file are no difference. */
function spellingOf(address: string): string {
  const url = new URL(address);
  const path = url.pathname.replace(/\/index\.html?$/i, '/').replace(/\/+$/, '');
  return `${url.host.replace(/^www\./, '')}${path}${url.search}`;
}
