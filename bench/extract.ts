import { dataFolder } from './extract/pages.ts';
import { type Run, sideBySide } from './extract/side-by-side.ts';
import type { SnippetCount } from './extract/snippets.ts';

/**
 * Quality and cost from HTML to Markdown: ours against @mozilla/readability + turndown and defuddle (both on linkedom), and against
 * htmlparser2 alone, which only reports the tags. Word F1 of the Markdown's plain text against the marked main content, mean over
 * pages; CPU time per page, warm, garbage collection included; page by page in turn, each in a process of its own. `x p50` and
 * `x p95`: how many times the CPU time of ours. A page that takes longer than the cap counts as not found.
 *
 * `--small` a sample of 300 pages, `--pages 60` at most so many, `--only ours,readability,defuddle,parse`, `--set wcxb_dev`.
 */
const PAGE_CAP_MS = 60_000;

const options = process.argv.slice(2);
const small = options.includes('--small');
const set = optionValue('--set') ?? 'wcxb_dev';
const names = (optionValue('--only') ?? 'ours,readability,defuddle,parse').split(',');
const pagesMax = Number(optionValue('--pages') ?? Number.POSITIVE_INFINITY);

dataFolder();
console.log(`${set}${small ? ', small sample' : ''}: word F1 of plain text made from the Markdown`);
const runs = await sideBySide(names, { set, small, pagesMax, capMs: PAGE_CAP_MS });
const head = 'pages,pages/s,CPU p50,p95,x p50,x p95,RSS MB,failed,F1'.split(',');
console.log(row(['', ...head]));
const ours = runs.find(({ name }) => name === 'ours');
for (const run of runs) console.log(row(summary(run, ours)));
for (const run of runs) printGroups(run);

function summary(run: Run, base: Run | undefined): string[] {
  const { name, pages, timedOut } = run;
  const seconds = pages.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000;
  const f1 = pages.reduce((sum, page) => sum + page.f1, 0) / (pages.length + timedOut);
  const times = (share: number): string =>
    base === undefined ? '-' : (quantile(run, share) / quantile(base, share)).toFixed(2);
  return [
    name,
    String(pages.length + timedOut),
    (pages.length / seconds).toFixed(1),
    `${quantile(run, 0.5).toFixed(1)} ms`,
    `${quantile(run, 0.95).toFixed(1)} ms`,
    times(0.5),
    times(0.95),
    pages.reduce((most, { rssMb }) => Math.max(most, rssMb), 0).toFixed(0),
    String(pages.filter(({ failed }) => failed).length + timedOut),
    f1.toFixed(3),
  ];
}

/** For each type of page or part of the set: F1, and the snippets that are kept and leaked. */
function printGroups({ name, pages }: Run): void {
  const percent = (counts: SnippetCount[]): string => {
    const of = counts.reduce((sum, one) => sum + one.of, 0);
    return of === 0 ? '-' : ((counts.reduce((sum, one) => sum + one.found, 0) / of) * 100).toFixed(1);
  };
  console.log(row(['', name, 'pages', 'F1', 'kept %', 'leaked %']));
  const groups = [...new Set(pages.flatMap((page) => page.groups))].sort();
  for (const group of ['all', ...groups]) {
    const some = pages.filter((page) => group === 'all' || page.groups.includes(group));
    const f1 = some.reduce((sum, page) => sum + page.f1, 0) / some.length;
    const snippets = [percent(some.map(({ kept }) => kept)), percent(some.map(({ leaked }) => leaked))];
    console.log(row(['', group.slice(0, 15).padStart(15), String(some.length), f1.toFixed(3), ...snippets]));
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
