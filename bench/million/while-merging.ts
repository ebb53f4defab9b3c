import type { LocalIndex } from '../../src/index/local-index-types.ts';
import { timed } from './measures.ts';

/**
 * Has a segment of the index written anew, which is one with the first page by address, while `search` is called again and again.
 * `took` are the milliseconds of each search, `seconds` how long the writing lasted. The index holds the same pages before and after.
 */
export async function searchWhileMerging(
  index: LocalIndex,
  search: (at: number) => Promise<unknown>,
): Promise<{ took: number[]; seconds: number }> {
  const [first] = await index.pages({ selector: null, after: null, limit: 1 });
  if (first === undefined) throw new Error('the index is empty');
  const took: number[] = [];
  const start = performance.now();
  // A word that was forgotten may stand nowhere, so the segment that holds it is written anew.
  await index.forget({ url: first.url });
  let isTidy = false;
  const tidying = index.tidy().then(() => {
    isTidy = true;
  });
  for (let at = 0; !isTidy; at += 1) took.push(await timed(() => search(at)));
  await tidying;
  const seconds = (performance.now() - start) / 1_000;
  await index.put([first]);
  await index.tidy();
  return { took, seconds };
}
