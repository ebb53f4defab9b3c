import { keptBlocks } from '../../src/pages/extract/content/choose-content.ts';
import { viewPage } from '../../src/pages/extract/content/page-view.ts';
import { parseTree } from '../../src/pages/extract/parse/parse-tree.ts';
import { goldPages } from './pages.ts';
import { wordF1 } from './word-f1.ts';

/** Prints the word F1 of the kept blocks when each page is judged by a model that has not seen its site. */
export async function printHeldOut(set: string, probabilities: Map<string, Float32Array>): Promise<void> {
  const scores = new Map<string, number[]>();
  for await (const { id, url, html, text, type } of goldPages(set, false)) {
    const own = probabilities.get(id);
    if (own === undefined) continue;
    const view = viewPage(parseTree(html), url);
    const kept = keptBlocks(view, own);
    const texts = view.blocks
      .filter((_block, index) => kept[index])
      .map((block) => block.texts.map(({ text }) => text).join(''));
    const { f1 } = wordF1(texts.join('\n'), text);
    for (const key of ['all', type]) scores.set(key, [...(scores.get(key) ?? []), f1]);
  }
  for (const [type, values] of scores) {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    console.log(
      `held out, ${type.padEnd(13)} ${String(values.length).padStart(5)} pages  F1 ${mean.toFixed(3)}`,
    );
  }
}
