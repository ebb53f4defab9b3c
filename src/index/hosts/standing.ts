import type { HostStanding } from './host-ranker.ts';

/** The part of a host's standing that page ranking uses. */
export type Standing = Pick<HostStanding, 'authority' | 'damping'>;

/*
 * Weights relative to the sum of text/scoring/relevance.ts, in which the pages of a query lie up to 10 apart. Authority only breaks
 * ties between copies and equals. Damping cancels what a page gains by repeating the words of a query and saying little else.
 */
const AUTHORITY_WEIGHT = 0.3;
const DAMPING_WEIGHT = 2;

/** Pure: computes what the standing of a page's host adds to the sum that orders pages. */
export const computeStandingBonus = (standing: Standing | null): number =>
  standing === null ? 0 : AUTHORITY_WEIGHT * standing.authority - DAMPING_WEIGHT * standing.damping;
