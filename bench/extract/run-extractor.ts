import { EXTRACTORS } from './extractors.ts';
import { goldPages } from './pages.ts';
import { plainText } from './plain-text.ts';
import { wordF1 } from './word-f1.ts';

/** Messages from a child to its parent: a page begins, its result, and the end. */
export type Report =
  | { kind: 'begin'; id: string }
  | { kind: 'page'; id: string; type: string; cpuMs: number; f1: number; failed: boolean }
  | { kind: 'end'; rssMb: number };

/** Runs one extractor over the pages in a process of its own: `<extractor> <set> <small|all> <ids to skip>`. */
const [name = 'ours', set = 'wcxb_dev', size = 'all', skipped = ''] = process.argv.slice(2);
const extract = EXTRACTORS[name];
if (extract === undefined) throw new Error(`no extractor ${name}`);
const skip = new Set(skipped.split(','));
// Peers print errors of pages on the console, which would drown the table.
for (const method of ['log', 'warn', 'error', 'debug', 'info'] as const) console[method] = () => {};

for await (const { id, url, html, text, type } of goldPages(set, size === 'small')) {
  if (skip.has(id)) continue;
  tell({ kind: 'begin', id });
  const before = process.cpuUsage();
  let markdown = '';
  let failed = false;
  try {
    markdown = await extract(html, url);
  } catch (error) {
    // A page on which an extractor throws counts as nothing found.
    failed = error instanceof Error;
  }
  const { user, system } = process.cpuUsage(before);
  const { f1 } = wordF1(plainText(markdown), text);
  tell({ kind: 'page', id, type, cpuMs: (user + system) / 1000, f1, failed });
}
tell({ kind: 'end', rssMb: process.resourceUsage().maxRSS / 1024 });
process.disconnect();

function tell(report: Report): void {
  process.send?.(report);
}
