import type { AppDeps } from '../../../src/http/server/app.ts';
import {
  contentsAnswer,
  readAnswer,
  rerankAnswer,
  researchAnswer,
  searchAnswer,
  verifyAnswer,
} from '../../harness.ts';

/** Every operation with an answer, for requests of any shape. */
export const SCRIPTED: Partial<AppDeps> = {
  search: async () => searchAnswer(),
  similar: async () => searchAnswer(),
  contents: async () => contentsAnswer(),
  read: async () => readAnswer(),
  siteCrawl: async () => [{ url: 'https://example.org/', title: 'A', text: '# A', passages: null }],
  siteMap: async () => ['https://example.org/'],
  research: async ({ maxSearches }) => {
    const answer = researchAnswer();
    return { ...answer, searches: answer.searches.slice(0, maxSearches) };
  },
  verify: async () => verifyAnswer(),
  rerank: rerankAnswer,
};
