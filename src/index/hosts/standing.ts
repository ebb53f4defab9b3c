import type { HostStanding } from './host-types.ts';

/** What ranking pages knows of their hosts. */
export type Standing = Pick<HostStanding, 'authority' | 'damping'>;

/*
 * Beside the sum of text/scoring/relevance.ts, in which the pages of a query lie up to 10 apart. Authority tells copies and
 * equals apart, and no more. Damping weighs as much as a page gains that repeats the words of a query and says little else.
 */
const AUTHORITY_WEIGHT = 0.3;
const DAMPING_WEIGHT = 2;

/** Pure: what the host of a page adds to the sum that orders pages. */
export const standingBonus = (standing: Standing | null): number =>
  standing === null ? 0 : AUTHORITY_WEIGHT * standing.authority - DAMPING_WEIGHT * standing.damping;
