import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Texts with human similarity ratings for each pair, 0 to 1, and further texts that only show how common words are. */
export type HumanPairs = { texts: string[]; background: string[]; similarity: number[][] };

export function readHumanPairs(data: string): HumanPairs {
  const folder = join(data, 'lee50');
  const corpus = jsonLines(readFileSync(join(folder, 'corpus.jsonl'), 'utf8'));
  const background = jsonLines(
    gunzipSync(readFileSync(join(folder, 'background.jsonl.gz'))).toString('utf8'),
  );
  const places = new Map(corpus.map(({ _id }, place) => [_id, place]));
  const similarity = corpus.map(() => corpus.map(() => 0));
  for (const line of readFileSync(join(folder, 'similar.tsv'), 'utf8').trim().split('\n').slice(1)) {
    const [left = '', right = '', value = '0'] = line.split('\t');
    const row = similarity[places.get(left) ?? -1];
    if (row !== undefined) row[places.get(right) ?? -1] = Number(value);
  }
  return { texts: corpus.map(textOf), background: background.map(textOf), similarity };
}

const textOf = ({ text }: Record<string, string>): string => text ?? '';

export function jsonLines(text: string): Record<string, string>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Pearson's correlation of two lists of numbers. */
export function pearson(left: number[], right: number[]): number {
  const mean = (figures: number[]): number =>
    figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
  const [leftMean, rightMean] = [mean(left), mean(right)];
  let both = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (const [place, figure] of left.entries()) {
    const [x, y] = [figure - leftMean, (right[place] ?? 0) - rightMean];
    both += x * y;
    leftSquares += x * x;
    rightSquares += y * y;
  }
  return both / Math.sqrt(leftSquares * rightSquares);
}

/** Pearson's correlation of the ranks, ties sharing theirs (Spearman). */
export const spearman = (left: number[], right: number[]): number => pearson(ranksOf(left), ranksOf(right));

function ranksOf(figures: number[]): number[] {
  const order = [...figures.keys()].sort((a, b) => (figures[a] ?? 0) - (figures[b] ?? 0));
  const ranks = new Array<number>(figures.length).fill(0);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && figures[order[end] ?? 0] === figures[order[start] ?? 0]) end += 1;
    for (const place of order.slice(start, end)) ranks[place] = (start + end - 1) / 2;
    start = end;
  }
  return ranks;
}

/** Of the `count` texts that people find most similar to each text, the share among the `count` that the scores put first. */
export function precisionAt(count: number, similarity: number[][], scores: number[][]): number {
  const nearest = (row: number[], own: number): number[] =>
    [...row.keys()]
      .filter((place) => place !== own)
      .sort((left, right) => (row[right] ?? 0) - (row[left] ?? 0) || left - right)
      .slice(0, count);
  const shares = similarity.map((row, own) => {
    const wanted = new Set(nearest(row, own));
    return nearest(scores[own] ?? [], own).filter((place) => wanted.has(place)).length / count;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
