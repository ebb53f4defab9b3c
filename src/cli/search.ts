import { styleText } from 'node:util';
import { createServices, type Services } from '../app/compose-services.ts';
import type { Config } from '../app/config.ts';
import { QUERY_CHARS_MAX, RESULTS_MAX, WEAK_RESULTS_SHOWN } from '../contract/limits.ts';
import { buildCostDollars } from '../http/v1/cost.ts';
import { toAnswer } from '../http/v1/search-answer.ts';
import { createDeadlineSignal } from '../platform/clock.ts';
import { createRequestId } from '../platform/ids.ts';
import { describeLateParts } from '../search/late-parts.ts';
import type { SearchAnswer } from '../search/search-types.ts';
import { NO_FILTERS } from '../text/query/filters.ts';
import { formatCount } from './progress-line.ts';

/** Default number of results. */
const RESULTS = 5;

/** `sanderling search`: resolves to the exit code, 0 if something was found. */
export async function runSearch(
  config: Config,
  query: string,
  options: { results?: number; json?: boolean },
): Promise<number> {
  if (query.length > QUERY_CHARS_MAX) {
    process.stderr.write(`The query is too long: at most ${QUERY_CHARS_MAX} characters.\n`);
    return 1;
  }
  const services = await createServices(config);
  try {
    const answer = await ask(services.operations, query, options.results ?? RESULTS);
    if (options.json) process.stdout.write(`${JSON.stringify(toHttpBody(answer, config), null, 2)}\n`);
    else {
      const weakMax = options.results === undefined ? WEAK_RESULTS_SHOWN : Infinity;
      process.stdout.write(formatAnswer(answer, await services.index.size(), weakMax));
    }
    return answer.results.length > 0 ? 0 : 1;
  } finally {
    await services.close();
  }
}

/** Converts an answer to the body of POST /v1/search for the same query. */
function toHttpBody(answer: SearchAnswer, { metering }: Config): unknown {
  const { body, used } = toAnswer(answer, { used: 0, requestId: createRequestId(), ignored: [] });
  return Object.assign({}, body, metering ? buildCostDollars(used) : {});
}

/** Time limit of a search; as long as a user at a terminal will wait. */
const SEARCH_MS = 15_000;

/** Searches, and returns the best passage of each page. */
export function ask(
  { search }: Pick<Services['operations'], 'search'>,
  query: string,
  results: number,
): Promise<SearchAnswer> {
  return search({
    query,
    numResults: Math.min(RESULTS_MAX, results),
    ...NO_FILTERS,
    contents: { text: null, highlights: { query: null, perUrl: 1, charsMax: null }, pruned: null },
    signal: createDeadlineSignal(SEARCH_MS),
  });
}

/** Formats the results for people: title, address, score and best passage of each, then the sources. At most `weakMax` weak ones. */
export function formatAnswer(
  answer: SearchAnswer,
  indexed: { pages: number; hosts: number },
  weakMax: number,
): string {
  const { results, timingsMs, sources, incomplete } = answer;
  const weak = results.filter(({ isWeak }) => isWeak).length;
  const leftOut = Math.max(0, weak - weakMax);
  // Weak results come last.
  const shown = results.slice(0, results.length - leftOut);
  const blocks = shown.map(({ title, url, score, isWeak, publishedDay, highlights }, place) => {
    const day = `${publishedDay === null ? '' : `  ${publishedDay}`}${isWeak ? '  weak' : ''}`;
    const head = styleText('bold', `${place + 1}. ${title}`);
    const facts = `${styleText('cyan', url)}  ${styleText('dim', score.toFixed(2) + day)}`;
    const [passage] = highlights ?? [];
    return `${head}\n   ${facts}\n${passage === undefined ? '' : `${indent(passage)}\n`}\n`;
  });
  if (answer.index !== undefined)
    blocks.push(`The local index is being rebuilt: ${formatRebuildProgress(answer.index)}.\n`);
  else if (indexed.pages === 0 && results.length === 0)
    blocks.push('The local index is empty. Fill it: sanderling crawl https://docs.example.org\n');
  if (incomplete.length > 0)
    blocks.push(`There was no time for: ${describeLateParts(incomplete)}. Try again in a moment.\n`);
  const count = `${formatCount(shown.length, 'result')}${formatWeakCount(weak, leftOut)}`;
  const asked = formatSources(sources, indexed);
  return `${blocks.join('')}${styleText('dim', `${count} in ${timingsMs.total ?? 0} ms. ${asked}\n`)}`;
}

/** Formats ` (2 weak, unlikely to be relevant; 3 more left out, -n shows them)`; empty without weak ones. */
function formatWeakCount(weak: number, leftOut: number): string {
  if (weak === 0) return '';
  const more = leftOut === 0 ? '' : `; ${leftOut} more left out, -n shows them`;
  return ` (${weak - leftOut} weak, unlikely to be relevant${more})`;
}

/** Formats `Asked: index (20 pages of 3 hosts), wikipedia; no answer: github (timeout).` */
function formatSources(sources: SearchAnswer['sources'], size: { pages: number; hosts: number }): string {
  const formatSourceName = (name: string): string =>
    name === 'index' ? `index (${formatSize(size)})` : name;
  const asked: string[] = [];
  const failed: string[] = [];
  for (const [name, report] of Object.entries(sources)) {
    if (report.ok) asked.push(formatSourceName(name));
    else failed.push(`${name} (${report.error.replaceAll('_', ' ')})`);
  }
  const lines = [
    ...(asked.length > 0 ? [`Asked: ${asked.join(', ')}`] : []),
    ...(failed.length > 0 ? [`no answer: ${failed.join(', ')}`] : []),
  ];
  return `${lines.join('; ')}.`;
}

/** Formats `1 page of 1 host`, `20 pages of 3 hosts`. */
export function formatSize({ pages, hosts }: { pages: number; hosts: number }): string {
  return `${formatCount(pages, 'page')} of ${formatCount(hosts, 'host')}`;
}

/** Formats `120 of 5000 pages`. */
export function formatRebuildProgress({ pages, of }: { pages: number; of: number }): string {
  return `${pages} of ${formatCount(of, 'page')}`;
}

function indent(markdown: string): string {
  return markdown.replace(/^/gm, '   ');
}
