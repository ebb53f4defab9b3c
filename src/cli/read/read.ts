import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createServices } from '../../app/compose-services.ts';
import type { Config } from '../../app/config.ts';
import type { LeftOutReason } from '../../pages/extract/content/left-out-reasons.ts';
import {
  type BlockReport,
  type ChoiceReport,
  explainChoice,
} from '../../pages/extract/explain/explain-choice.ts';
import { decode } from '../../pages/formats/decode.ts';
import type { ReadOperation } from '../../search/read.ts';
import { watchInterruption } from '../until-interrupted.ts';

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

const TEXT_CHARS = 60;

/** Formats the report with one entry per block, in page order. */
export function formatWhyTable({ threshold, blocks }: ChoiceReport): string {
  const kept = blocks.filter((block) => block.kept);
  const countWords = (some: BlockReport[]): number => some.reduce((sum, block) => sum + block.words, 0);
  const least = threshold === null ? 'no score was high enough' : `scores from ${threshold.toFixed(2)} on`;
  return [
    `${kept.length} of ${blocks.length} blocks kept, ${countWords(kept)} of ${countWords(blocks)} words; ${least}`,
    ...formatLeftOut(blocks),
    '',
    'kept  score  section   words  text, and below it what decided',
    ...blocks.flatMap(formatBlock),
    '',
  ].join('\n');
}

/** Formats the words left out by reason: `words left out: navigation 120, footer 42; for their score alone 9 (2 %)`. */
function formatLeftOut(blocks: BlockReport[]): string[] {
  const words = new Map<LeftOutReason, number>();
  let all = 0;
  for (const block of blocks) {
    all += block.words;
    if (block.leftOut !== null) words.set(block.leftOut, (words.get(block.leftOut) ?? 0) + block.words);
  }
  const byScore = words.get('score') ?? 0;
  const named = [...words]
    .filter(([reason, count]) => reason !== 'score' && count > 0)
    .sort(([, one], [, other]) => other - one);
  const reasons = named.map(([reason, count]) => `${reason} ${count}`).join(', ');
  return [
    `words left out: ${reasons || 'none for a reason'}; for their score alone ${byScore} (${Math.round((100 * byScore) / Math.max(1, all))} %)`,
  ];
}

function formatBlock({
  kept,
  score,
  section,
  leftOut,
  rule,
  reasons,
  tag,
  words,
  text,
}: BlockReport): string[] {
  const features = reasons.map(
    ({ feature, value, weight }) =>
      `${feature} ${formatShort(value)} (${weight > 0 ? '+' : '-'}${Math.abs(weight).toFixed(2)})`,
  );
  const start = text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS)}…` : text;
  return [
    [
      kept ? '+   ' : '-   ',
      score.toFixed(2).padStart(6),
      section.padEnd(8),
      String(words).padStart(6),
      `<${tag}> ${start}`,
    ].join('  '),
    `${' '.repeat(32)}${leftOut === null ? '' : `${leftOut}; `}${rule}: ${features.join(', ')}`,
  ];
}

const formatShort = (value: number): string => String(Math.round(value * 100) / 100);
