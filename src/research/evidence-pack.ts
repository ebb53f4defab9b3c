import { compareEvidence } from './compare/compare-evidence.ts';
import { chooseEvidence } from './evidence/choose-evidence.ts';
import type { Agreement, Disagreement, Evidence, Passage } from './evidence/research-types.ts';

/** What is chosen from all passages, and how the chosen ones stand to each other. */
export type EvidencePack = { evidence: Evidence[]; agreements: Agreement[]; disagreements: Disagreement[] };

export function evidencePack(
  passages: readonly Passage[],
  bounds: { facets: number; tokens: number },
): EvidencePack {
  const evidence = chooseEvidence(passages, bounds);
  return { evidence, ...compareEvidence(evidence) };
}
