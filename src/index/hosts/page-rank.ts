/** Links from site to site; `from` ascends, so that sums do not depend on the order in which pages were added. */
export type SiteLinks = { from: Uint32Array; to: Uint32Array };

/** The damping factor of PageRank: the share of rank that follows links (Brin and Page 1998). */
const FOLLOWED = 0.85;
const ROUNDS_MAX = 60;
const CHANGE_MIN = 1e-10;

/**
 * Computes the PageRank of sites by power iteration. `votes`, from 0 to 1, is the share of a site's rank that its links pass on, and its
 * weight when rank is distributed without links; the rank not passed on goes to all sites. The ranks sum to 1.
 */
export function computePageRanks({ from, to }: SiteLinks, votes: Float64Array): Float64Array {
  const sites = votes.length;
  const outgoing = new Uint32Array(sites);
  for (const site of from) outgoing[site] = (outgoing[site] ?? 0) + 1;
  const sum = votes.reduce((total, vote) => total + vote, 0);
  const start = sum === 0 ? new Float64Array(sites).fill(1 / sites) : votes.map((vote) => vote / sum);
  let ranks = start.slice();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const next = new Float64Array(sites);
    let passed = 0;
    for (let link = 0; link < from.length; link += 1) {
      const source = from[link] ?? 0;
      const target = to[link] ?? 0;
      const share = (FOLLOWED * (ranks[source] ?? 0) * (votes[source] ?? 0)) / (outgoing[source] ?? 1);
      next[target] = (next[target] ?? 0) + share;
      passed += share;
    }
    let change = 0;
    for (let site = 0; site < sites; site += 1) {
      next[site] = (next[site] ?? 0) + (1 - passed) * (start[site] ?? 0);
      change += Math.abs((next[site] ?? 0) - (ranks[site] ?? 0));
    }
    ranks = next;
    if (change < CHANGE_MIN) break;
  }
  return ranks;
}
