import type { BlockReport, ChoiceReport } from '../../pages/extract/explain/explain-choice.ts';

const TEXT_CHARS = 60;

/** One line for each block, in page order. */
export function tableOf({ threshold, blocks }: ChoiceReport): string {
  const kept = blocks.filter((block) => block.kept);
  const words = (some: BlockReport[]): number => some.reduce((sum, block) => sum + block.words, 0);
  const least = threshold === null ? 'no score was high enough' : `scores from ${threshold.toFixed(2)} on`;
  return [
    `${kept.length} of ${blocks.length} blocks kept, ${words(kept)} of ${words(blocks)} words; ${least}`,
    '',
    'kept  score  section   words  text, and below it what decided',
    ...blocks.flatMap(linesOf),
    '',
  ].join('\n');
}

function linesOf({ kept, score, section, rule, reasons, tag, words, text }: BlockReport): string[] {
  const features = reasons.map(
    ({ feature, value, weight }) =>
      `${feature} ${shortly(value)} (${weight > 0 ? '+' : '-'}${Math.abs(weight).toFixed(2)})`,
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
    `${' '.repeat(32)}${rule}: ${features.join(', ')}`,
  ];
}

const shortly = (value: number): string => String(Math.round(value * 100) / 100);
