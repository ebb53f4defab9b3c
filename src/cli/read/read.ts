import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createServices } from '../../app/compose-services.ts';
import type { Config } from '../../app/config.ts';
import { readOperatorRules } from '../../app/read-operator-rules.ts';
import type { LeftOutReason } from '../../pages/extract/content/left-out-reasons.ts';
import { findOperatorRule } from '../../pages/extract/content/rules/operator-rules.ts';
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
  const rule = findOperatorRule(readOperatorRules(config), url);
  const report = explainChoice(html, url, rule);
  process.stdout.write(
    json ? `${JSON.stringify({ url, ...report }, null, 2)}\n` : formatWhyTable(report, url),
  );
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
const LEGEND = [
  'One entry for each block of the page, in page order: + kept or - left out, its score from 0 (menu) to 1 (text), the part of the page,',
  'its words, its element with the nearest name, its text. Below: the score against the least that this page keeps, what speaks for a',
  'block that passed or against one that did not, and the rule that decided otherwise, if one did.',
];

/** Formats the report on the page at `url` with one entry per block, in page order. */
export function formatWhyTable({ threshold, blocks }: ChoiceReport, url: string): string {
  const kept = blocks.filter((block) => block.kept);
  const countWords = (some: BlockReport[]): number => some.reduce((sum, block) => sum + block.words, 0);
  const least = threshold === null ? 'no score was high enough' : `scores from ${threshold.toFixed(2)} on`;
  return [
    `${kept.length} of ${blocks.length} blocks kept, ${countWords(kept)} of ${countWords(blocks)} words; ${least}`,
    ...formatLeftOut(blocks),
    '',
    ...LEGEND,
    '',
    '   score  part      words  text',
    ...blocks.flatMap((block) => formatBlock(block, threshold)),
    '',
    formatAdvice(url),
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

function formatBlock(block: BlockReport, threshold: number | null): string[] {
  const { kept, score, section, tag, selector, words, text } = block;
  const start = text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS)}…` : text;
  const element = selector === null ? `<${tag}>` : `<${tag}> in ${selector}`;
  return [
    [
      kept ? '+' : '-',
      score.toFixed(2).padStart(5),
      section.padEnd(8),
      String(words).padStart(5),
      `${element}: ${start}`,
    ].join('  '),
    `   ${formatDecision(block, threshold)}`,
  ];
}

/** Formats why: `kept: score 0.74 against 0.60; looks like text, stands in the main column`. */
function formatDecision(
  { kept, score, leftOut, rule, because }: BlockReport,
  threshold: number | null,
): string {
  const named = leftOut === null || leftOut === 'score' || leftOut === 'rule' ? '' : ` as ${leftOut}`;
  const decided = rule === 'score' ? '' : `, by "${rule}"`;
  const against = threshold === null ? '' : ` against ${threshold.toFixed(2)}`;
  const words = because.length === 0 ? '' : `; ${because.join(', ')}`;
  return `${kept ? 'kept' : `left out${named}`}${decided}: score ${score.toFixed(2)}${against}${words}`;
}

/** Says what an operator can do about a wrong choice. */
function formatAdvice(url: string): string {
  const host = (URL.parse(url)?.hostname ?? '').replace(/^www\./, '') || 'example.org';
  return `Wrong for this site? Name what to keep and drop in the file of EXTRACT_RULES, such as {"${host}": {"keep": [".intro"], "drop": [".promo"]}}, and run this again.`;
}
