import type { Random } from './written-edits.ts';

/** Lines of a page in which it speaks of itself, as they stand on real pages, and how the next visit finds them. */
const SELF: readonly [RegExp, (line: string, random: Random) => string][] = [
  [
    /^\W*(?:(?:page )?last (?:updated|modified|edited|reviewed)|(?:updated|modified|published|posted)(?: on|:))\b.{0,60}\d/i,
    shiftFigures,
  ],
  [/^.{0,80}\b\d{1,3} (?:minutes?|hours?|days?|weeks?|months?|years?) ago\W*$/i, shiftFigures],
  [
    /^\W*[\d,.]{1,9}k? (?:likes?|views?|comments?|shares?|replies|followers|downloads|votes up)\W*$/i,
    shiftFigures,
  ],
  [
    /^\W*(?:©|copyright).{0,20}\b(?:19|20)\d\d\b.{0,60}$/i,
    (line) => line.replace(/\b(?:19|20)\d\d\b(?!.*\b(?:19|20)\d\d\b)/, (year) => String(Number(year) + 1)),
  ],
];

const FRAMES: ((random: Random) => [string, string])[] = [
  () => ['Advertisement', 'Advertisement\n\nSponsored'],
  (random) => [
    `1,${200 + random(700)} views · ${random(90)} comments`,
    `2,${200 + random(700)} views · ${random(90)} comments`,
  ],
  (random) => [
    `Page generated on 2026-03-0${1 + random(9)} 10:20:30`,
    `Page generated on 2026-04-0${1 + random(9)} 11:21:31`,
  ],
  (random) => [listRelated(random), listRelated(random)],
  (random) => [picture(random), picture(random)],
];

/** Changes only what says nothing new: the lines in which a page speaks of itself, the order of a list, and what stands around it. */
export function makeNoise(markdown: string, random: Random): { before: string; after: string } | null {
  const lines = markdown.split('\n');
  let count = 0;
  let isCode = false;
  const next = lines.map((line) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode) return line;
    const [, change] = SELF.find(([pattern]) => line.length < 140 && pattern.test(line)) ?? [];
    if (change === undefined) return line;
    count += 1;
    return change(line, random);
  });
  if (count === 0) return null;
  const [frame, frameAfter] = FRAMES[random(FRAMES.length)]?.(random) ?? ['', ''];
  return { before: `${markdown}\n\n${frame}`, after: `${turnList(next).join('\n')}\n\n${frameAfter}` };
}

/** Turns the order of the first list of links with at least three items. */
function turnList(lines: string[]): string[] {
  const isLink = (line: string | undefined): boolean => /^- \[[^\]]+\]\([^)]+\)$/.test(line ?? '');
  const start = lines.findIndex((_, at) => [0, 1, 2].every((step) => isLink(lines[at + step])));
  if (start === -1) return lines;
  let end = start;
  while (isLink(lines[end])) end += 1;
  return [...lines.slice(0, start), ...lines.slice(start, end).reverse(), ...lines.slice(end)];
}

/** Moves the day of a date, or another number where there is none, a little. */
function shiftFigures(line: string, random: Random): string {
  const place = /\b\d{1,2}(?=(?:st|nd|rd|th)?,? (?:19|20)\d\d)|(?<=(?:19|20)\d\d-\d\d-)\d\d|\b\d{1,6}\b/;
  return line.replace(place, (figure) => {
    const value = Number(figure);
    const shifted = 1 + ((value + 1 + random(9)) % (figure.length <= 2 ? 28 : 10 ** figure.length - 1));
    return String(shifted === value ? shifted + 1 : shifted).padStart(figure.length, '0');
  });
}

const TOPICS = ['boots', 'rain', 'rivers', 'trains', 'bread', 'clocks', 'glass', 'maps'];
const listRelated = (random: Random): string =>
  `## Related articles\n\n${[0, 1, 2]
    .map(() => TOPICS[random(TOPICS.length)])
    .map((topic) => `- [All about ${topic}](https://example.org/${topic})`)
    .join('\n')}`;
const picture = (random: Random): string =>
  `![A chart](https://example.org/chart.png?v=${random(1_000_000)})`;
