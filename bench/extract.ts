import { fork } from 'node:child_process';
import { join } from 'node:path';
import { dataFolder } from './extract/pages.ts';
import type { Report } from './extract/run-extractor.ts';

/**
 * Quality and cost from HTML to Markdown: ours against @mozilla/readability + turndown and defuddle (both on linkedom). Word F1 of
 * the Markdown's plain text against the marked main content, mean over pages; CPU time per page from HTML to Markdown, garbage
 * collection included; each extractor in a process of its own. A page that takes longer than the cap counts as not found.
 *
 * `--small` a sample of 300 pages, `--only ours,readability,defuddle`, `--set wcxb_dev`.
 */
type PageReport = Extract<Report, { kind: 'page' }>;
type Run = { pages: PageReport[]; rssMb: number; timedOut: number };

const PAGE_CAP_MS = 60_000;
const TYPES = ['article', 'service', 'product', 'collection', 'forum', 'listing', 'documentation'];

const options = process.argv.slice(2);
const small = options.includes('--small');
const set = optionValue('--set') ?? 'wcxb_dev';
const names = (optionValue('--only') ?? 'ours,readability,defuddle').split(',');
const byType = set === 'wcxb_dev';

dataFolder();
console.log(`${set}${small ? ', small sample' : ''}: word F1 of plain text made from the Markdown`);
console.log(
  row([
    '',
    'pages',
    'pages/s',
    'CPU p50',
    'p95',
    'RSS MB',
    'failed',
    'F1',
    ...(byType ? TYPES.map((type) => type.slice(0, 7)) : []),
  ]),
);
for (const name of names) console.log(row(summary(name, await run(name))));

/** Runs a child to the end; a page over the cap ends it, and the next child continues after the pages already done. */
async function run(name: string): Promise<Run> {
  const result: Run = { pages: [], rssMb: 0, timedOut: 0 };
  const overCap: string[] = [];
  for (let done = false; !done; ) {
    const skip = [...result.pages.map(({ id }) => id), ...overCap];
    const stuck = await runChild(name, skip, result);
    done = stuck === null;
    if (stuck !== null) {
      overCap.push(stuck);
      result.timedOut += 1;
    }
  }
  return result;
}

/** Resolves to the page on which the child got stuck, or null if it finished. */
function runChild(name: string, skip: string[], result: Run): Promise<string | null> {
  const script = join(import.meta.dirname, 'extract/run-extractor.ts');
  const child = fork(script, [name, set, small ? 'small' : 'all', skip.join(',')]);
  return new Promise((resolve, reject) => {
    let current = '';
    let ended = false;
    let stuck = false;
    const watch = setTimeout(() => {
      stuck = true;
      child.kill('SIGKILL');
    }, PAGE_CAP_MS);
    child.on('message', (report: Report) => {
      watch.refresh();
      if (report.kind === 'begin') current = report.id;
      else if (report.kind === 'page') result.pages.push(report);
      else {
        result.rssMb = Math.max(result.rssMb, report.rssMb);
        ended = true;
      }
    });
    child.on('exit', (code) => {
      clearTimeout(watch);
      if (stuck && current !== '') resolve(current);
      else if (ended) resolve(null);
      else reject(new Error(`${name}: the child ended with ${code} on page ${current}`));
    });
  });
}

function summary(name: string, { pages, rssMb, timedOut }: Run): string[] {
  const cpu = pages.map(({ cpuMs }) => cpuMs).sort((one, other) => one - other);
  const seconds = cpu.reduce((sum, ms) => sum + ms, 0) / 1000;
  const f1 = (fits: (page: PageReport) => boolean, missing: number): string => {
    const found = pages.filter(fits);
    return (found.reduce((sum, page) => sum + page.f1, 0) / (found.length + missing)).toFixed(3);
  };
  return [
    name,
    String(pages.length + timedOut),
    (pages.length / seconds).toFixed(1),
    quantile(cpu, 0.5),
    quantile(cpu, 0.95),
    rssMb.toFixed(0),
    String(pages.filter(({ failed }) => failed).length + timedOut),
    f1(() => true, timedOut),
    ...(byType ? TYPES.map((type) => f1((page) => page.type === type, 0)) : []),
  ];
}

function quantile(sorted: number[], share: number): string {
  return `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)} ms`;
}

function row(cells: string[]): string {
  return cells.map((cell, index) => (index === 0 ? cell.padEnd(12) : cell.padStart(9))).join(' ');
}

function optionValue(option: string): string | undefined {
  const at = options.indexOf(option);
  return at === -1 ? undefined : options[at + 1];
}
