import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createServices } from '../../app/compose-services.ts';
import type { Config } from '../../app/config.ts';
import { explainChoice } from '../../pages/extract/explain/explain-choice.ts';
import { decode } from '../../pages/formats/decode.ts';
import type { ReadOperation } from '../../search/read.ts';
import { watchInterruption } from '../until-interrupted.ts';
import { formatWhyTable } from './why-table.ts';

/** `sanderling read`: prints the page as Markdown on standard output. Resolves to the exit code. */
export async function runRead(config: Config, url: string, options: { question?: string }): Promise<number> {
  const { markdown } = await readOnce(config, { url, question: options.question ?? null });
  process.stdout.write(`${markdown.trimEnd()}\n`);
  return 0;
}

/** `sanderling read --why`: prints for each block of a page or an HTML file whether it is kept, its score, and why. */
export async function runWhy(
  config: Config,
  target: string,
  { toUrl, json }: { toUrl: (text: string) => string; json: boolean },
): Promise<number> {
  const { html, url } = existsSync(target) ? readHtmlFile(target) : await fetchHtml(config, toUrl(target));
  const report = explainChoice(html, url);
  process.stdout.write(json ? `${JSON.stringify({ url, ...report }, null, 2)}\n` : formatWhyTable(report));
  return 0;
}

function readHtmlFile(path: string): { html: string; url: string } {
  return { html: decode(readFileSync(path), null).text, url: pathToFileURL(path).href };
}

async function fetchHtml(config: Config, url: string): Promise<{ html: string; url: string }> {
  const opening = { extras: { selection: null, rawHtml: true } };
  const answer = await readOnce(config, { url, question: null, opening });
  return { html: answer.extras?.rawHtml ?? '', url: answer.url };
}

/** Reads one page with its own services; an interruption ends it. */
async function readOnce(
  config: Config,
  request: Omit<Parameters<ReadOperation>[0], 'signal'>,
): ReturnType<ReadOperation> {
  const services = await createServices(config);
  const interruption = watchInterruption();
  try {
    return await services.operations.read({ ...request, signal: interruption.signal });
  } finally {
    interruption.stop();
    await services.close();
  }
}
