import { readFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import { createServices } from '../app/compose-services.ts';
import type { Config } from '../app/config.ts';
import type { CrawlProgress, CrawlSummary } from '../crawl/background/crawl-types.ts';
import { systemClock } from '../platform/clock.ts';
import { toWebAddress } from './arguments.ts';
import { createProgressLine, formatCount } from './progress-line.ts';
import { watchInterruption } from './until-interrupted.ts';

type Options = {
  pages: number;
  depth?: number;
  withinPath?: boolean;
  delay?: number;
  fresh?: boolean;
  seeds?: string;
  hosts?: number;
  hostUrls?: number;
};

/** Minimum time over which rates are computed, so that they do not jump. */
const SECONDS_MIN = 0.5;

/** `sanderling crawl`: resolves to the exit code, 0 when at least one page is in the index. */
export async function runCrawl(config: Config, given: string[], options: Options): Promise<number> {
  const urls = await resolveStarts(given, options.seeds);
  if (urls === null) return 1;
  const services = await createServices(config);
  const interruption = watchInterruption();
  const progress = showProgress(options.pages);
  try {
    const summary = await services.crawling.crawl({
      starts: urls,
      pagesMax: options.pages,
      depthMax: options.depth ?? null,
      withinPath: options.withinPath ?? false,
      hostsMax: options.hosts,
      hostUrlsMax: options.hostUrls,
      fresh: options.fresh ?? false,
      delayMs: options.delay ?? null,
      signal: interruption.signal,
      onProgress: progress.show,
    });
    progress.stop();
    printSummary(summary, urls);
    return summary.pages > 0 ? 0 : 1;
  } finally {
    progress.stop();
    interruption.stop();
    await services.close();
  }
}

/** Resolves the start addresses. If there are none, prints why and returns null. */
async function resolveStarts(given: string[], seeds: string | undefined): Promise<string[] | null> {
  const reportProblem = (problem: string): null => {
    process.stderr.write(`${problem}\n`);
    return null;
  };
  if (seeds === undefined)
    return given.length > 0
      ? given.map(toWebAddress)
      : reportProblem('Name a start address, or a file of them with --seeds.');
  const text = await readFile(seeds, 'utf8').catch((error: Error) => error);
  if (text instanceof Error) return reportProblem(`--seeds: ${text.message}`);
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const named = lines.filter((line) => line !== '' && !line.startsWith('#')).map(toWebAddress);
  const bad = named.find((address) => !URL.canParse(address));
  if (bad !== undefined) return reportProblem(`--seeds: ${seeds} has a line that is no address: ${bad}`);
  const starts = [...new Set([...given.map(toWebAddress), ...named])];
  return starts.length > 0 ? starts : reportProblem(`--seeds: ${seeds} names no address`);
}

/** Maximum start addresses that a summary names. */
const NAMED_MAX = 3;

type ProgressDisplay = { show(progress: CrawlProgress): void; stop(): void };

/** Shows progress. The rate counts only pages of this run: a resumed crawl starts with the pages of earlier runs. */
function showProgress(pagesMax: number): ProgressDisplay {
  const line = createProgressLine(process.stderr, systemClock);
  const startedAt = systemClock.now();
  let pagesBefore: number | null = null;
  return {
    show({ pages, queued, failed, url }) {
      pagesBefore ??= pages;
      const seconds = Math.max(SECONDS_MIN, (systemClock.now() - startedAt) / 1_000);
      line.show({
        done: pages,
        total: Math.min(pagesMax, pages + queued),
        unit: 'page',
        facts: [`${((pages - pagesBefore) / seconds).toFixed(1)}/s`, `${queued} queued`, `${failed} failed`],
        ...(url === null ? {} : { detail: url }),
      });
    },
    stop: line.stop,
  };
}

const ENDINGS: Record<CrawlSummary['ended'], string> = {
  complete: 'All pages found have been read.',
  pages_max: 'The page limit is reached. To continue, run the same command with a larger --pages.',
  aborted: 'Interrupted. Run the same command to resume.',
  host_gave_up: 'A host stopped answering. Run the same command to try again.',
};

function printSummary(summary: CrawlSummary, urls: string[]): void {
  const { pages, newPages, failed, skipped, duplicates, queued, seconds, resumed, ended, reasons } = summary;
  const printLine = (line: string): void => void process.stdout.write(`${line}\n`);
  const more = urls.length > NAMED_MAX ? ` and ${urls.length - NAMED_MAX} more` : '';
  if (resumed) printLine(`Resumed the crawl of ${urls.slice(0, NAMED_MAX).join(' ')}${more}.`);
  printLine(
    `${styleText('bold', formatCount(pages, 'page'))} in the index, ${newPages} of them new, in ${seconds.toFixed(1)} s (${(newPages / Math.max(seconds, 0.1)).toFixed(1)} pages/s)`,
  );
  printLine(
    `${failed} failed, ${skipped} skipped, ${formatCount(duplicates, 'duplicate')}, ${queued} still queued`,
  );
  for (const { state, reason, urls: count, example } of reasons)
    printLine(`  ${state} ${reason}: ${count}, for example ${example}`);
  printLine(ENDINGS[ended]);
}
