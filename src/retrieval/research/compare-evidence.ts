import type { Agreement, Disagreement, Evidence } from './research-types.ts';

/** Where sources say the same and where they do not. */
export function compareEvidence(_evidence: readonly Evidence[]): {
  agreements: Agreement[];
  disagreements: Disagreement[];
} {
  return { agreements: [], disagreements: [] };
}
