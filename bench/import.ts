/**
 * How fast does `sanderling import` fill the index, in how much memory, and does it survive being killed?
 * npm run bench:import [-- --only parquet --pages 1000000 --zim 100000 --warc 20000 --kills 20 --tools]
 *
 * Makes a Parquet file, a ZIM file and twenty WARC files of pages of some 90 words, imports each into an empty folder in a process of
 * its own, and prints pages a second, CPU milliseconds a page and the largest memory of that process. Baseline: reading the
 * same file without an index. `--tools`: the ZIM file is written by `zimwriterfs` and the WARC files by a crawl of `wget`.
 * `--kills`: imports each once more into another folder, killed so many times at places spread over the whole import, and compares
 * the counts, all pages and a fixed list of searches.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { openLocalFiles } from '../src/crawl/import/collections/open-collection.ts';
import { readCollection } from '../src/crawl/import/collections/read-collection.ts';
import { contentsOf, countsOf, type Imported, importAlone } from '../test/chaos/killed-import.ts';
import { writeMadeParquet, writeMadeWarcs, writeMadeZim } from '../test/fixtures/corpora/made-files.ts';
import { recordCrawls, writeZimByTool } from './import/real-files.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'parquet,zim,warc' },
    pages: { type: 'string', default: '20000' },
    zim: { type: 'string', default: '2000' },
    warc: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '0' },
    tools: { type: 'boolean', default: false },
  },
});
const KINDS = ['parquet', 'zim', 'warc'] as const;
type Kind = (typeof KINDS)[number];
const counts: Record<Kind, number> = {
  parquet: Number(values.pages),
  zim: Number(values.zim),
  warc: Number(values.warc),
};
const SEARCHES = 100;
const KILL_DELAY_MS_MAX = 120;
const folder = mkdtempSync(join(tmpdir(), 'bench-import-'));
const print = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  for (const kind of KINDS.filter((one) => values.only.split(',').includes(one))) {
    const path = await make(kind);
    await measure(kind, path);
    rmSync(path, { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Makes a corpus; returns its path. */
async function make(kind: Kind): Promise<string> {
  const pages = counts[kind];
  const path = join(folder, kind === 'warc' ? 'warcs' : `made.${kind}`);
  const scratch = join(folder, 'html');
  mkdirSync(scratch, { recursive: true });
  if (kind === 'parquet') await writeMadeParquet(path, pages);
  else if (kind === 'zim')
    values.tools ? await writeZimByTool(path, { pages, scratch }) : writeMadeZim(path, pages);
  else if (values.tools) await recordCrawls(path, { files: 20, pages });
  else writeMadeWarcs(path, { files: 20, pages });
  rmSync(scratch, { recursive: true });
  return path;
}

async function measure(kind: Kind, path: string): Promise<void> {
  const read = await readAlone(path);
  const calm = mkdtempSync(join(folder, 'calm-'));
  const ended = await importAlone(calm, path);
  if (ended === null) throw new Error(`the import of ${path} did not end`);
  const { pages, copies, failed } = ended.summary;
  const { seconds, cpuMs, megabytes } = ended.usage;
  const each = (ms: number): string => (ms / counts[kind]).toFixed(3);
  print(
    `${kind.padEnd(8)} ${pages} pages, ${copies} copies and ${failed} failures in ${seconds.toFixed(1)} s: ${((pages + copies) / seconds).toFixed(0)} pages/s, ${each(cpuMs)} CPU ms a page (reading alone ${each(read)}), at most ${megabytes.toFixed(0)} MB`,
  );
  if (Number(values.kills) > 0) await compareKilled(kind, { path, calm, expected: ended.summary });
  rmSync(calm, { recursive: true });
}

/** CPU milliseconds to read all records. */
async function readAlone(path: string): Promise<number> {
  const { signal } = new AbortController();
  const before = process.cpuUsage();
  const options = { from: null, baseUrl: null, columns: null, scratch: folder, signal };
  let records = 0;
  for await (const _ of readCollection(await openLocalFiles(path, null), options)) records += 1;
  const { user, system } = process.cpuUsage(before);
  if (records === 0) throw new Error(`${path} holds no records`);
  return (user + system) / 1_000;
}

type Calm = { path: string; calm: string; expected: Imported };

async function compareKilled(kind: Kind, { path, calm, expected }: Calm): Promise<void> {
  const killed = mkdtempSync(join(folder, 'killed-'));
  const kills = Number(values.kills);
  let done = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const from = (counts[kind] * kill) / kills;
    // Spread over the whole import, each after another delay.
    const killAt = (pages: number | null): number | null =>
      pages !== null && pages >= from ? (kill * 37) % KILL_DELAY_MS_MAX : null;
    if ((await importAlone(killed, path, killAt)) === null) done += 1;
  }
  const ended = await importAlone(killed, path);
  const looked = { step: Math.max(1, Math.floor(counts[kind] / SEARCHES)), searches: SEARCHES };
  const [one, other] = [await contentsOf(calm, looked), await contentsOf(killed, looked)];
  const differing = one.found.filter((urls, at) => !isDeepStrictEqual(urls, other.found[at])).length;
  print(
    `         killed ${done} times: counts ${isDeepStrictEqual(countsOf(ended?.summary), countsOf(expected)) ? 'agree' : `DIFFER: ${JSON.stringify(ended?.summary)}`}, ${other.pages} pages ${one.digest === other.digest ? 'agree' : 'DIFFER'}, ${SEARCHES - differing} of ${SEARCHES} searches agree`,
  );
  rmSync(killed, { recursive: true });
}
