import { dataFolder } from './extract/pages.ts';
import { type Run, sideBySide } from './extract/side-by-side.ts';

/**
 * Quality and cost from HTML to Markdown: ours against @mozilla/readability + turndown and defuddle (both on linkedom), and against
 * htmlparser2 alone, which only reports the tags. Word F1 of the Markdown's plain text against the marked main content, mean over
 * pages; CPU time per page, warm, garbage collection included; page by page in turn, each in a process of its own. `x p50` and
 * `x p95`: how many times the CPU time of ours. A page that takes longer than the cap counts as not found.
 *
 * `--small` a sample of 300 pages, `--pages 60` at most so many, `--only ours,readability,defuddle,parse`, `--set wcxb_dev`.
 */
const PAGE_CAP_MS = 60_000;
const TYPES = ['article', 'service', 'product', 'collection', 'forum', 'listing', 'documentation'];

const options = process.argv.slice(2);
const small = options.includes('--small');
const set = optionValue('--set') ?? 'wcxb_dev';
const names = (optionValue('--only') ?? 'ours,readability,defuddle,parse').split(',');
const pagesMax = Number(optionValue('--pages') ?? Number.POSITIVE_INFINITY);
const byType = set === 'wcxb_dev';

dataFolder();
console.log(`${set}${small ? ', small sample' : ''}: word F1 of plain text made from the Markdown`);
const runs = await sideBySide(names, { set, small, pagesMax, capMs: PAGE_CAP_MS });
const head = 'pages,pages/s,CPU p50,p95,x p50,x p95,RSS MB,failed,F1'.split(',');
console.log(row(['', ...head, ...(byType ? TYPES.map((type) => type.slice(0, 7)) : [])]));
const ours = runs.find(({ name }) => name === 'ours');
for (const run of runs) console.log(row(summary(run, ours)));

function summary(run: Run, base: Run | undefined): string[] {
  const { name, pages, timedOut } = run;
  const seconds = pages.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000;
  const f1 = (fits: (page: Run['pages'][number]) => boolean, missing: number): string => {
    const found = pages.filter(fits);
    return (found.reduce((sum, page) => sum + page.f1, 0) / (found.length + missing)).toFixed(3);
  };
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
    f1(() => true, timedOut),
    ...(byType ? TYPES.map((type) => f1((page) => page.type === type, 0)) : []),
  ];
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
