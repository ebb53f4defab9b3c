import { dataFolder } from './extract/pages.ts';
import { type Run, sideBySide } from './extract/side-by-side.ts';

/**
 * Quality and cost from HTML to Markdown: ours against @mozilla/readability + turndown (on linkedom), and against
 * htmlparser2 alone, which only reports the tags. Word F1 of the Markdown's plain text against the marked main content, mean over
 * pages; CPU time per page, warm, garbage collection included; page by page in turn, each in a process of its own. `x p50` and
 * `x p95`: how many times the CPU time of ours.
 *
 * `--small` a sample of 300 pages, `--pages 60` at most so many, `--only ours,readability,parse`, `--set wcxb_dev`.
 */
const options = process.argv.slice(2);
const small = options.includes('--small');
const set = optionValue('--set') ?? 'wcxb_dev';
const names = (optionValue('--only') ?? 'ours,readability,parse').split(',');
const pagesMax = Number(optionValue('--pages') ?? Number.POSITIVE_INFINITY);

dataFolder();
console.log(`${set}${small ? ', small sample' : ''}: word F1 of plain text made from the Markdown`);
const runs = await sideBySide(names, { set, small, pagesMax });
const head = 'pages,pages/s,CPU p50,p95,x p50,x p95,RSS MB,failed,F1'.split(',');
console.log(row(['', ...head]));
const ours = runs.find(({ name }) => name === 'ours');
for (const run of runs) console.log(row(summary(run, ours)));
for (const run of runs) printGroups(run);

function summary(run: Run, base: Run | undefined): string[] {
  const { name, pages } = run;
  const seconds = pages.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000;
  const f1 = pages.reduce((sum, page) => sum + page.f1, 0) / pages.length;
  const times = (share: number): string =>
    base === undefined ? '-' : (quantile(run, share) / quantile(base, share)).toFixed(2);
  return [
    name,
    String(pages.length),
    (pages.length / seconds).toFixed(1),
    `${quantile(run, 0.5).toFixed(1)} ms`,
    `${quantile(run, 0.95).toFixed(1)} ms`,
    times(0.5),
    times(0.95),
    pages.reduce((most, { rssMb }) => Math.max(most, rssMb), 0).toFixed(0),
    String(pages.filter(({ failed }) => failed).length),
    f1.toFixed(3),
  ];
}

/** For each type of page or part of the set: F1. */
function printGroups({ name, pages }: Run): void {
  console.log(row(['', name, 'pages', 'F1']));
  const groups = [...new Set(pages.flatMap((page) => page.groups))].sort();
  for (const group of ['all', ...groups]) {
    const some = pages.filter((page) => group === 'all' || page.groups.includes(group));
    const f1 = some.reduce((sum, page) => sum + page.f1, 0) / some.length;
    console.log(row(['', group.slice(0, 15).padStart(15), String(some.length), f1.toFixed(3)]));
  }
}

function quantile({ pages }: Run, share: number): number {
  const sorted = pages.map(({ cpuMs }) => cpuMs).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

function row(cells: string[]): string {
  return cells.map((cell, index) => (index === 0 ? cell.padEnd(12) : cell.padStart(9))).join(' ');
}

function optionValue(option: string): string | undefined {
  const at = options.indexOf(option);
  return at === -1 ? undefined : options[at + 1];
}
