import { post } from '../ranking/served-index.ts';

const PAGES = 3;
const HIGHLIGHTS = 3;

/** What the service gave for one question. */
export type Given = {
  /** Best first. */
  pages: { url: string; highlights: string[]; prunedContext: string }[];
  quote: string | null;
};

/** Asks a running service for the first pages with highlights and pruned context, and for a quoted answer, from the domains or, if none is named, from all. */
export async function ask(address: string, query: string, domains: string[]): Promise<Given> {
  const { results } = await post<{ results: Given['pages'] }>(`${address}/v1/search`, {
    query,
    numResults: PAGES,
    includeDomains: domains,
    contents: { highlights: { highlightsPerUrl: HIGHLIGHTS }, pruned_context: true },
  });
  const { answer } = await post<{ answer: string | null }>(`${address}/shapeB/search`, {
    query,
    include_domains: domains,
    include_answer: true,
  });
  return {
    pages: results.map(({ url, highlights, prunedContext }) => ({
      url,
      highlights: highlights ?? [],
      prunedContext: prunedContext ?? '',
    })),
    quote: answer,
  };
}
