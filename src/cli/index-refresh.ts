import { createServices } from '../app/compose-services.ts';
import type { Config } from '../app/config.ts';
import { makeDue } from '../index/upkeep/make-due.ts';
import { parseSelector } from '../index/upkeep/page-selector.ts';
import { systemClock } from '../platform/clock.ts';
import { createProgressLine } from './progress-line.ts';
import { watchInterruption } from './until-interrupted.ts';

/** `sanderling index refresh`: resolves to the exit code, 0 unless every visited page failed. */
export async function refreshIndex(
  config: Config,
  which: string | undefined,
  { pages, json }: { pages: number; json?: boolean },
): Promise<number> {
  const selector = which === undefined ? null : parseSelector(which);
  const services = await createServices(config);
  const interruption = watchInterruption();
  const progress = createProgressLine(process.stderr, systemClock);
  try {
    const pagesMax = selector === null ? pages : Math.min(pages, await makeDue(services.index, selector));
    const summary = await services.crawling.refresh({
      pagesMax,
      signal: interruption.signal,
      onProgress: ({ changed, unchanged, gone, failed }) =>
        progress.show({
          done: changed + unchanged + gone + failed,
          total: null,
          unit: 'page',
          facts: [`${changed} changed`, `${gone} gone`, `${failed} failed`],
        }),
    });
    progress.stop();
    const { changed, unchanged, gone, failed } = summary;
    const visited = changed + unchanged + gone + failed;
    if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else if (visited === 0) process.stdout.write('No page is due.\n');
    else
      process.stdout.write(
        `${visited} visited: ${changed} changed, ${unchanged} unchanged, ${gone} gone, ${failed} failed\n`,
      );
    return visited > 0 && failed === visited ? 1 : 0;
  } finally {
    progress.stop();
    interruption.stop();
    await services.close();
  }
}
