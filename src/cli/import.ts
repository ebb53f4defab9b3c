import { createServices } from '../app/compose-search.ts';
import type { Config } from '../app/config.ts';
import { untilInterrupted } from './until-interrupted.ts';

/** `sanderling import`: resolves to the exit code, 0 when at least one page is in the index. */
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
  try {
    const onProgress = ({ pages, failed }: { pages: number; failed: number }): void => {
      if (process.stderr.isTTY) process.stderr.write(`\r${pages} pages, ${failed} failed `);
    };
    const { pages, failed, problems } = await services.importPages({
      path,
      baseUrl,
      signal: interruption.signal,
      onProgress,
    });
    if (process.stderr.isTTY) process.stderr.write('\n');
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
    process.stdout.write(`${pages} pages taken in, ${failed} failed\n`);
    return pages > 0 ? 0 : 1;
  } finally {
    interruption.stop();
    await services.close();
  }
}
