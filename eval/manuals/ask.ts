import { setTimeout } from 'node:timers/promises';

const PAGES = 3;
const HIGHLIGHTS = 3;
const TRIES = 8;
const PAUSE_MS = 1_000;

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

/** On a busy machine a search may run out of time: it is asked again. */
async function post<T>(url: string, body: object, triesLeft = TRIES): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status === 200) return (await response.json()) as T;
  const said = await response.text();
  if (response.status !== 503 || triesLeft <= 1) throw new Error(`${response.status} from ${url}: ${said}`);
  await setTimeout(PAUSE_MS);
  return post(url, body, triesLeft - 1);
}
