import { SingleBar } from 'cli-progress';
import pc from 'picocolors';
import { createServices } from '../app/compose-search.ts';
import type { Config } from '../app/config.ts';
import type { CrawlProgress, CrawlSummary } from '../crawl/background/background-crawl.ts';
import { untilInterrupted } from './until-interrupted.ts';

type Options = { pages: number; depth?: number; withinPath?: boolean; delay?: number; fresh?: boolean };

/** `sanderling crawl`: resolves to the exit code, 0 when at least one page is in the index. */
export async function runCrawl(config: Config, urls: string[], options: Options): Promise<number> {
  const services = await createServices(config);
  const interruption = untilInterrupted();
  const progress = showProgress(options.pages);
  try {
    const summary = await services.crawl({
      starts: urls,
      pagesMax: options.pages,
      depthMax: options.depth ?? null,
      withinPath: options.withinPath ?? false,
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

type Shown = { show(progress: CrawlProgress): void; stop(): void };

const PLAIN_LINE_MS = 2_000;

/** A bar on a terminal, a line now and then elsewhere. */
function showProgress(pagesMax: number): Shown {
  const started = Date.now();
  const rate = (pages: number, before: number): string =>
    ((pages - before) / Math.max(0.5, (Date.now() - started) / 1_000)).toFixed(1);
  let before: number | null = null;
  if (!process.stderr.isTTY) {
    let next = 0;
    return {
      show({ pages, queued, failed }) {
        before ??= pages;
        if (Date.now() < next) return;
        next = Date.now() + PLAIN_LINE_MS;
        process.stderr.write(
          `${pages} pages, ${rate(pages, before)}/s, ${queued} queued, ${failed} failed\n`,
        );
      },
      stop() {},
    };
  }
  const bar = new SingleBar({
    format: `{bar} {value}/{total} pages  {rate}/s  {queued} queued  ${pc.red('{failed} failed')}  {url}`,
    hideCursor: true,
    barsize: 24,
    stopOnComplete: false,
  });
  bar.start(pagesMax, 0, { rate: '0.0', queued: 0, failed: 0, url: '' });
  let stopped = false;
  return {
    show({ pages, queued, failed, url }) {
      before ??= pages;
      bar.setTotal(Math.min(pagesMax, pages + queued));
      bar.update(pages, { rate: rate(pages, before), queued, failed, url: (url ?? '').slice(0, 60) });
    },
    stop() {
      if (!stopped) bar.stop();
      stopped = true;
    },
  };
}

const ENDINGS: Record<CrawlSummary['ended'], string> = {
  complete: 'Everything that was found is read.',
  pages_max: 'The bound on pages is reached; --pages raises it, and the same command then goes on.',
  aborted: 'Interrupted; the same command goes on from here.',
  host_gave_up: 'A host no longer answers; the same command tries again.',
};

function printSummary(summary: CrawlSummary, urls: string[]): void {
  const { pages, newPages, failed, skipped, duplicates, queued, seconds, resumed, ended, reasons } = summary;
  const out = (line: string): void => void process.stdout.write(`${line}\n`);
  if (resumed) out(`Went on with the crawl of ${urls.join(' ')}.`);
  out(
    `${pc.bold(`${pages} pages`)} in the index, ${newPages} of them new, in ${seconds.toFixed(1)} s (${(newPages / Math.max(seconds, 0.1)).toFixed(1)} pages/s)`,
  );
  out(`${failed} failed, ${skipped} skipped, ${duplicates} duplicates, ${queued} still queued`);
  for (const { state, reason, urls: count, example } of reasons)
    out(`  ${state} ${reason}: ${count}, for example ${example}`);
  out(ENDINGS[ended]);
}
