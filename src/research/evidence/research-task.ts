import { type EvidencePack, evidencePack } from '../evidence-pack.ts';
import { pagePassages } from './page-passages.ts';
import { relatedFacets } from './related-facets.ts';
import type { Facet, Passage, ResearchPage } from './research-types.ts';

/** The heavy steps of research. Plain data both ways. */
export type ResearchTask =
  | { step: 'passages'; page: ResearchPage; facets: Facet[]; from: number }
  | { step: 'related'; question: string; facets: Facet[]; passages: Passage[]; most: number }
  | { step: 'pack'; passages: Passage[]; facets: number; tokens: number };
export type ResearchResult = { passages: Passage[] } | { related: Facet[] } | EvidencePack;

/** What a research thread does: one step. */
export function researchTask(task: ResearchTask): ResearchResult {
  switch (task.step) {
    case 'passages':
      return { passages: pagePassages(task.page, task.facets, task.from) };
    case 'related':
      return { related: relatedFacets(task) };
    case 'pack':
      return evidencePack(task.passages, task);
  }
}
