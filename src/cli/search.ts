import pc from 'picocolors';
import type { Config } from '../config.ts';
import { QUERY_CHARS_MAX, RESULTS_MAX } from '../limits.ts';
import type { SearchAnswer } from '../retrieval/search.ts';
import { createServices, type Services } from '../services.ts';

/** `sanderling search`: resolves to the exit code, 0 when something was found. */
export async function runSearch(
  config: Config,
  query: string,
  options: { results: number; json?: boolean },
): Promise<number> {
  if (query.length > QUERY_CHARS_MAX) {
    process.stderr.write(`A query has at most ${QUERY_CHARS_MAX} characters.\n`);
    return 1;
  }
  const services = await createServices(config);
  try {
    const answer = await ask(services, query, options.results);
    if (options.json) process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    else await printAnswer(services, answer);
    return answer.results.length > 0 ? 0 : 1;
  } finally {
    await services.close();
  }
}

/** A search with the best passage of each page. */
export function ask(
  { search }: Pick<Services, 'search'>,
  query: string,
  results: number,
): Promise<SearchAnswer> {
  return search({
    query,
    numResults: Math.max(1, Math.min(RESULTS_MAX, results)),
    includeDomains: [],
    excludeDomains: [],
    publishedFrom: null,
    publishedTo: null,
    contents: { text: null, highlights: { query: null, perUrl: 1, charsMax: null }, pruned: null },
    signal: AbortSignal.timeout(15_000),
  });
}

async function printAnswer({ index }: Services, { results, timingsMs }: SearchAnswer): Promise<void> {
  const { pages, hosts } = await index.size();
  if (pages === 0 && results.length === 0) {
    process.stdout.write('The index is empty. Fill it: sanderling crawl https://docs.example.org\n');
    return;
  }
  for (const [place, { title, url, score, publishedDay, highlights }] of results.entries()) {
    const day = publishedDay === null ? '' : `  ${publishedDay}`;
    process.stdout.write(
      `${pc.bold(`${place + 1}. ${title}`)}\n   ${pc.cyan(url)}  ${pc.dim(score.toFixed(2) + day)}\n`,
    );
    process.stdout.write(`${indented(highlights?.[0] ?? '')}\n\n`);
  }
  process.stdout.write(
    pc.dim(`${results.length} results from ${sizeInWords({ pages, hosts })} in ${timingsMs.total ?? 0} ms\n`),
  );
}

/** `1 page of 1 host`, `20 pages of 3 hosts`. */
export function sizeInWords({ pages, hosts }: { pages: number; hosts: number }): string {
  return `${pages} ${pages === 1 ? 'page' : 'pages'} of ${hosts} ${hosts === 1 ? 'host' : 'hosts'}`;
}

function indented(markdown: string): string {
  return markdown.replace(/^/gm, '   ');
}
