/**
 * The commands that fill the index from files and archives, and those that publish and follow open packs. They parse arguments and show
 * progress; `crawl/import` does the work.
 */
import { styleText } from 'node:util';
import { createServices } from '../../app/compose-services.ts';
import type { Config } from '../../app/config.ts';
import type { ImportProgress, ImportStart, ImportSummary } from '../../crawl/import/import-pages.ts';
import type { ImportOptions } from '../../crawl/import/run/import-filter.ts';
import { systemClock } from '../../platform/clock.ts';
import { createProgressLine, formatCount } from '../progress-line.ts';
import { watchInterruption } from '../until-interrupted.ts';

type Order = { path: string; baseUrl: string | null; options: Partial<ImportOptions> };

/** Minimum time over which rates are computed, so that they do not jump. */
const SECONDS_MIN = 0.5;
const ESTIMATED_FROM_SECONDS = 2;

/** `sanderling import`: resolves to the exit code, 1 when nothing was imported or a page failed. */
export async function runImport(config: Config, { path, baseUrl, options }: Order): Promise<number> {
  const services = await createServices(config);
  const interruption = watchInterruption();
  const progress = showProgress();
  try {
    const summary = await services.crawling.importPages({
      path,
      baseUrl,
      options,
      signal: interruption.signal,
      onStart(start) {
        printStart(start);
        progress.begin(start);
      },
      onProgress: progress.show,
    });
    progress.stop();
    printSummary(summary);
    return summary.pages > 0 && summary.failed === 0 && summary.ended !== 'aborted' ? 0 : 1;
  } finally {
    progress.stop();
    interruption.stop();
    await services.close();
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function printStart({ origin, resumed }: ImportStart): void {
  if (origin !== null)
    print(`${styleText('bold', origin.source)}, licence: ${origin.licence ?? 'none stated'}`);
  if (resumed !== null) print(`Resumes after ${formatCount(resumed.pages, 'page')}.`);
}

/** Shows progress. Rates count only the work of this run. */
function showProgress() {
  const line = createProgressLine(process.stderr, systemClock);
  let startedAt = systemClock.now();
  let before: { pages: number; position: number | null } = { pages: 0, position: null };
  return {
    begin({ resumed }: ImportStart): void {
      startedAt = systemClock.now();
      before = { pages: resumed?.pages ?? 0, position: resumed === null ? 0 : null };
    },
    show({ pages, failed, copies, filtered, position, bytesTotal }: ImportProgress): void {
      const seconds = Math.max(SECONDS_MIN, (systemClock.now() - startedAt) / 1_000);
      before.position ??= position;
      const bytesPerSecond = (position - before.position) / seconds;
      const left = bytesTotal === null ? null : (bytesTotal - position) / bytesPerSecond;
      const isEstimated = left !== null && Number.isFinite(left) && seconds >= ESTIMATED_FROM_SECONDS;
      line.show({
        done: pages,
        total: null,
        unit: 'page',
        facts: [
          ...(bytesTotal === null || bytesTotal === 0
            ? []
            : [`${Math.min(100, (100 * position) / bytesTotal).toFixed(1)} %`]),
          `${((pages - before.pages) / seconds).toFixed(0)} pages/s`,
          formatRate(bytesPerSecond),
          ...(isEstimated ? [`${formatDuration(left)} left`] : []),
          `${failed} failed`,
          ...(copies === 0 ? [] : [formatCount(copies, 'copy', 'copies')]),
          ...(filtered === 0 ? [] : [`${filtered} not wanted`]),
        ],
      });
    },
    stop: line.stop,
  };
}

function formatRate(bytesPerSecond: number): string {
  return bytesPerSecond < 1e6
    ? `${(bytesPerSecond / 1e3).toFixed(0)} kB/s`
    : `${(bytesPerSecond / 1e6).toFixed(1)} MB/s`;
}

function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return minutes === 0 ? `${Math.ceil(seconds)} s` : `${minutes} min ${Math.floor(seconds % 60)} s`;
}

const ENDINGS: Record<ImportSummary['ended'], string | null> = {
  complete: null,
  limit: 'The limit is reached. To continue, run the same command with a larger --limit.',
  aborted: 'Interrupted. Run the same command to resume.',
};

function printSummary({ pages, failed, copies, filtered, problems, ended }: ImportSummary): void {
  for (const problem of problems) print(`  ${problem}`);
  const more = [
    ...(copies === 0 ? [] : [`${formatCount(copies, 'copy', 'copies')} folded`]),
    ...(filtered === 0 ? [] : [`${filtered} not wanted`]),
  ];
  print([`${formatCount(pages, 'page')} imported`, `${failed} failed`, ...more].join(', '));
  const ending = ENDINGS[ended];
  if (ending !== null) print(ending);
}
