import { createServices } from '../app/compose-services.ts';
import type { Config } from '../app/config.ts';
import { systemClock } from '../platform/clock.ts';
import { createProgressLine } from './progress-line.ts';
import { untilInterrupted } from './until-interrupted.ts';

/** `sanderling import`: resolves to the exit code, 1 when nothing was imported or a page failed. */
export async function runImport(
  config: Config,
  path: string,
  options: { baseUrl?: string },
): Promise<number> {
  const baseUrl = options.baseUrl ?? null;
  if (baseUrl !== null && !/^https?:\/\/./.test(baseUrl)) {
    process.stderr.write('--base-url must be an http(s) address such as https://docs.example.org/\n');
    return 1;
  }
  const services = await createServices(config);
  const interruption = untilInterrupted();
  const progress = createProgressLine(process.stderr, systemClock);
  try {
    const { pages, failed, problems } = await services.importPages({
      path,
      baseUrl,
      signal: interruption.signal,
      onProgress: ({ pages, failed }) =>
        progress.show({ done: pages, total: null, unit: 'pages', facts: [`${failed} failed`] }),
    });
    progress.stop();
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
    process.stdout.write(`${pages} pages imported, ${failed} failed\n`);
    return pages > 0 && failed === 0 ? 0 : 1;
  } finally {
    progress.stop();
    interruption.stop();
    await services.close();
  }
}
