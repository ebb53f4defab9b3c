/**
 * How fast does `sanderling import` fill the index, and in how much memory? npm run bench:import [-- --pages 1000000 --zim 100000 --warc 20000]
 *
 * Makes a Parquet file, a ZIM file and twenty WARC files of pages of some 90 words, imports each into an empty folder in a process of
 * its own, and prints pages a second, CPU milliseconds a page and the largest memory of that process. Baseline: reading the
 * same file without an index.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { localFiles } from '../src/crawl/import/collections/local-files.ts';
import { readCollection } from '../src/crawl/import/collections/read-collection.ts';
import { writeMadeParquet, writeMadeWarcs, writeMadeZim } from '../test/fixtures/corpora/made-files.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '20000' },
    zim: { type: 'string', default: '2000' },
    warc: { type: 'string', default: '2000' },
  },
});
const counts = { parquet: Number(values.pages), zim: Number(values.zim), warc: Number(values.warc) };
const folder = mkdtempSync(join(tmpdir(), 'bench-import-'));
const paths = {
  parquet: join(folder, 'made.parquet'),
  zim: join(folder, 'made.zim'),
  warc: join(folder, 'warcs'),
};
try {
  await writeMadeParquet(paths.parquet, counts.parquet);
  writeMadeZim(paths.zim, counts.zim);
  writeMadeWarcs(paths.warc, { files: 20, pages: counts.warc });
  for (const kind of ['parquet', 'zim', 'warc'] as const) {
    const read = await readAlone(paths[kind]);
    const { pages, copies, seconds, cpuMs, megabytes } = await importAlone(paths[kind]);
    const each = (ms: number): string => (ms / counts[kind]).toFixed(3);
    process.stdout.write(
      `${kind.padEnd(8)} ${pages} pages and ${copies} copies in ${seconds.toFixed(1)} s: ${((pages + copies) / seconds).toFixed(0)} pages/s, ${each(cpuMs)} CPU ms a page (reading alone ${each(read)}), at most ${megabytes.toFixed(0)} MB\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** CPU milliseconds to read all records. */
async function readAlone(path: string): Promise<number> {
  const { signal } = new AbortController();
  const before = process.cpuUsage();
  const options = { from: null, baseUrl: null, columns: null, scratch: folder, signal };
  let records = 0;
  for await (const _ of readCollection(await localFiles(path, null), options)) records += 1;
  const { user, system } = process.cpuUsage(before);
  if (records === 0) throw new Error(`${path} holds no records`);
  return (user + system) / 1_000;
}

type Imported = { pages: number; copies: number; seconds: number; cpuMs: number; megabytes: number };

async function importAlone(path: string): Promise<Imported> {
  const data = mkdtempSync(join(folder, 'data-'));
  const script = join(import.meta.dirname, '../test/chaos/importing-process.ts');
  const child = spawn(process.execPath, [script, data, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let startedAt = performance.now();
  let imported: Imported | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'start') startedAt = performance.now();
    if (!line.startsWith('end ')) continue;
    const { pages, copies, usage } = JSON.parse(line.slice(4));
    imported = { pages, copies, seconds: (performance.now() - startedAt) / 1_000, ...usage };
  }
  if (imported === null) throw new Error(`the import of ${path} did not end`);
  return imported;
}
