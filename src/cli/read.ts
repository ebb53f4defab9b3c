import { createServices } from '../app/compose-services.ts';
import type { Config } from '../app/config.ts';
import { untilInterrupted } from './until-interrupted.ts';

/** `sanderling read`: the page as Markdown on standard output; resolves to the exit code. */
export async function runRead(config: Config, url: string, options: { question?: string }): Promise<number> {
  const services = await createServices(config);
  const interruption = untilInterrupted();
  try {
    const { markdown } = await services.read({
      url,
      question: options.question ?? null,
      signal: interruption.signal,
    });
    process.stdout.write(`${markdown.trimEnd()}\n`);
    return 0;
  } finally {
    interruption.stop();
    await services.close();
  }
}
