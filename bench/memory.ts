/**
 * Resident memory of an idle server: after its start, and after some pages and searches. Baselines in the same run: Fastify alone,
 * and Fastify with three threads that do nothing. Linux only.
 *
 *   npm run bench:memory [-- --runs 5]
 *
 * The bar: at most 150 MB after a start. Each server has a data folder and a compile cache from an earlier start.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  bareFastify,
  createPlace,
  type MeasuredProcess,
  medianOf,
  startArguments,
  startMeasured,
} from './processes/measured-process.ts';
import { createRandom } from './search/random.ts';

const IDLE_MS = 4_000;
const PAGES = 40;
const TRIES = 5;

type Sample = ReturnType<MeasuredProcess['memory']>;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const SERVERS = [
  { name: 'Fastify alone', args: bareFastify(0), isUsed: false },
  { name: 'Fastify and 3 idle threads', args: bareFastify(3), isUsed: false },
  { name: 'Sanderling', args: startArguments(), isUsed: true },
];
const samples = new Map<string, Sample[]>();
const site = await serveSite();
const place = createPlace();
try {
  for (const { args } of SERVERS) await (await startMeasured(args, place.settings)).stop();
  for (let run = 0; run < Number(values.runs); run += 1) for (const server of SERVERS) await measure(server);
} finally {
  place.remove();
  site.close();
}
console.log('server                             resident MB   own MB   threads   (medians)');
for (const [name, taken] of samples) {
  const middle = (of: (sample: Sample) => number): string => medianOf(taken.map(of)).toFixed(0);
  console.log(
    name.padEnd(34),
    middle(({ residentMb }) => residentMb).padStart(11),
    middle(({ ownMb }) => ownMb).padStart(8),
    middle(({ threads }) => threads).padStart(9),
  );
}

async function measure({ name, args, isUsed }: (typeof SERVERS)[number]): Promise<void> {
  const server = await startMeasured(args, place.settings);
  try {
    await later(IDLE_MS);
    keep(name, server.memory());
    if (!isUsed) return;
    await use(server.address);
    await later(IDLE_MS);
    keep(`${name}, after ${PAGES} pages`, server.memory());
  } finally {
    await server.stop();
  }
}

function keep(name: string, sample: Sample): void {
  samples.set(name, [...(samples.get(name) ?? []), sample]);
}

/** Reads pages with highlights, four at a time, and searches for what they say. */
async function use(address: string): Promise<void> {
  for (let first = 0; first < PAGES; first += 4) {
    const urls = Array.from({ length: 4 }, (_, place) => `${site.origin}/${first + place}`);
    await post(`${address}/v1/contents`, { urls, highlights: true, query: 'silver bridge' });
    await post(`${address}/v1/search`, { query: 'silver bridge' });
  }
}

/** Asks again when the server is busy, as its clients are told to. */
async function post(url: string, body: object, triesLeft = TRIES - 1): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (response.ok) return;
  if (response.status !== 503 || triesLeft === 0)
    throw new Error(`${url} answered ${response.status}: ${text}`);
  await later(Number(response.headers.get('retry-after') ?? 1) * 1_000);
  await post(url, body, triesLeft - 1);
}

/** A site of pages of 7,000 words. */
async function serveSite(): Promise<{ origin: string; close(): void }> {
  const random = createRandom(7);
  const words = 'lantern harbour stone river window paper garden winter letter bridge market silver'.split(
    ' ',
  );
  const sentence = (): string => Array.from({ length: 60 }, () => words[random(words.length)]).join(' ');
  const server = createServer((request, response) => {
    const paragraphs = Array.from({ length: 120 }, () => `<p>${sentence()}.</p>`).join('');
    response.setHeader('content-type', 'text/html');
    response.end(`<title>Page ${request.url}</title><article><h1>Page</h1>${paragraphs}</article>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}
