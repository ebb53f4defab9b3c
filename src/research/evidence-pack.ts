import { compareEvidence } from './compare/compare-evidence.ts';
import { chooseEvidence } from './evidence/choose-evidence.ts';
import type { Agreement, Disagreement, Evidence, Facet, Passage } from './evidence/relevance.ts';

/** The passages chosen as evidence, and the values on which they agree and disagree. */
export type EvidencePack = { evidence: Evidence[]; agreements: Agreement[]; disagreements: Disagreement[] };

export function buildEvidencePack(
  passages: readonly Passage[],
  bounds: { facets: readonly Facet[]; tokens: number },
): EvidencePack {
  const evidence = chooseEvidence(passages, bounds);
  return { evidence, ...compareEvidence(evidence, bounds.facets) };
}
