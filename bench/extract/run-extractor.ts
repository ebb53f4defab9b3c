import { EXTRACTORS } from './extractors.ts';
import { isFitted, partOf } from './halves.ts';
import { type GoldPage, goldPages } from './pages.ts';
import { plainText } from './plain-text.ts';
import { NEXT, type Report } from './side-by-side.ts';
import { wordF1 } from './word-f1.ts';

/** Pages that are extracted before the first that counts, so that the code is compiled as in a service that runs for hours. */
const WARM_PAGES = 300;
/** Slow extractors warm up for this long at most; 40 pages are enough to compile what they run most. */
const WARM_MS = 20_000;
const WARM_PAGES_MIN = 40;

/** Runs one extractor, page by page as asked, in a process of its own: `<extractor> <set> <small|all>`. */
const [name = 'ours', set = 'wcxb_dev', size = 'all'] = process.argv.slice(2);
const extract = EXTRACTORS[name];
if (extract === undefined) throw new Error(`no extractor ${name}`);
// Peers print errors of pages on the console, which would drown the table.
for (const method of ['log', 'warn', 'error', 'debug', 'info'] as const) console[method] = () => {};

let warmed = 0;
const started = performance.now();
for await (const page of goldPages(set, false)) {
  if (warmed === WARM_PAGES || (warmed >= WARM_PAGES_MIN && performance.now() - started > WARM_MS)) break;
  measured(page);
  warmed += 1;
}
const pages = goldPages(set, size === 'small');
process.on('message', (message) => {
  if (message === NEXT) void answer();
});
tell({ kind: 'warm' });

async function answer(): Promise<void> {
  const { done, value } = await pages.next();
  if (done !== true) return tell(measured(value));
  tell({ kind: 'end' });
  process.disconnect();
}

function measured(page: GoldPage): Extract<Report, { kind: 'page' }> {
  const { id, url, html, text, type } = page;
  const before = process.cpuUsage();
  let markdown = '';
  let failed = false;
  try {
    markdown = extract?.(html, url) ?? '';
  } catch (error) {
    // A page on which an extractor throws counts as nothing found.
    failed = error instanceof Error;
  }
  const { user, system } = process.cpuUsage(before);
  return {
    kind: 'page',
    id,
    type,
    groups: groupsOf(page),
    failed,
    cpuMs: (user + system) / 1000,
    rssMb: process.resourceUsage().maxRSS / 1024,
    f1: wordF1(plainText(markdown), text).f1,
  };
}

/** Pages with comments stand apart from those without. */
function groupsOf(page: GoldPage): string[] {
  if (page.type !== 'all') return [page.type];
  const part = `${partOf(page.id)}${page.comments === '' ? '' : '+c'}`;
  const half = isFitted(set, page) ? 'fit' : 'new';
  return [half, part, `${part} ${half}`];
}

function tell(report: Report): void {
  process.send?.(report);
}
