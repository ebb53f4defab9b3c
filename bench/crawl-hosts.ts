/**
 * How many pages a second a crawl of many hosts reads: serves a web of hosts on loopback from a process of its own, crawls it with
 * the command line from a file of seeds, and prints pages a second, CPU milliseconds a page and the largest memory, beside a plain
 * loop that only fetches the same pages with as many connections.
 *
 *   node bench/crawl-hosts.ts [--hosts 1000] [--pages 20000] [--pages-of-a-host 40] [--seeds 50]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..');
const SAMPLE_MS = 250;
/** A tick of the scheduler in /proc, in milliseconds (USER_HZ is 100). */
const TICK_MS = 10;
const BASELINE_PAGES = 2_000;
const BASELINE_CONNECTIONS = 48;

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1000' },
    pages: { type: 'string', default: '20000' },
    'pages-of-a-host': { type: 'string', default: '40' },
    seeds: { type: 'string', default: '50' },
  },
});
const hosts = Number(values.hosts);
const folder = mkdtempSync(join(tmpdir(), 'sanderling-crawl-'));
const web = spawn(
  process.execPath,
  [join(ROOT, 'bench/crawl/web-of-hosts.ts'), values.hosts, values['pages-of-a-host']],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);

try {
  const port = await firstLineOf(web);
  const origins = Array.from({ length: hosts }, (_, place) => originOf(place, port));
  const baseline = await fetchAll(origins);
  const seeds = join(folder, 'seeds.txt');
  writeFileSync(seeds, origins.slice(0, Number(values.seeds)).join('\n'));
  const crawl = await timed(
    spawn(
      process.execPath,
      [...['src/cli.ts', 'crawl', '--seeds', seeds, '--hosts', values.hosts, '--pages', values.pages]],
      {
        cwd: ROOT,
        env: {
          ...process.env,
          DATA_DIR: join(folder, 'data'),
          FETCH_ALLOW_PRIVATE: '127.20.0.0/16',
          RECALL: 'index',
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    ),
  );
  const pages = Number(/(\d+) pages/.exec(crawl.output)?.[1] ?? 0);
  console.log(crawl.output);
  console.log('                     pages/s   CPU ms a page   largest memory');
  console.log(row('crawl', pages, crawl));
  console.log(row('fetching alone', BASELINE_PAGES, baseline));
} finally {
  web.kill();
  rmSync(folder, { recursive: true, force: true });
}

type Timed = { seconds: number; cpuMs: number; rssBytes: number };

function row(name: string, pages: number, { seconds, cpuMs, rssBytes }: Timed): string {
  return [
    name.padEnd(18),
    (pages / seconds).toFixed(0).padStart(10),
    (cpuMs / pages).toFixed(2).padStart(15),
    `${(rssBytes / 1e6).toFixed(0)} MB`.padStart(16),
  ].join('');
}

/** Runs to its end; the CPU time is of all its threads. */
async function timed(child: ChildProcess): Promise<Timed & { output: string }> {
  const begun = performance.now();
  let output = '';
  let cpuMs = 0;
  let rssBytes = 0;
  child.stdout?.on('data', (data: Buffer) => {
    output += data;
  });
  const sample = (): void => {
    try {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      cpuMs = (Number(stat[11]) + Number(stat[12])) * TICK_MS;
      const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
      rssBytes = Math.max(rssBytes, Number(resident ?? 0) * 1_024);
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  await once(child, 'exit');
  clearInterval(timer);
  return { seconds: (performance.now() - begun) / 1_000, cpuMs, rssBytes, output };
}

/** Fetches one page after another over as many connections, and reads the bodies. */
async function fetchAll(origins: string[]): Promise<Timed> {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let place = next++; place < BASELINE_PAGES; place = next++) {
      const response = await fetch(
        `${origins[place % origins.length]}page/${Math.floor(place / origins.length)}`,
      );
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: BASELINE_CONNECTIONS }, work));
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - begun) / 1_000,
    cpuMs: (user + system) / 1_000,
    rssBytes: process.memoryUsage.rss(),
  };
}

async function firstLineOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the web has no output');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the web did not start');
}

function originOf(place: number, port: string): string {
  return `http://127.20.${Math.floor(place / 256)}.${place % 256}:${port}/`;
}
