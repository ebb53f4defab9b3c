/**
 * How often the highlights of the right page hold the citation: 60 questions over the documentation of Debian packages, written with
 * their accepted citations (patterns of the text) before any answer was looked at. Each page is read from a server on loopback
 * through POST /v1/contents with its question, with as many highlights as fit into 650 tokens, and with three.
 *
 *   npm run eval:citations -- --docs <share/doc of one unpacked set> [--docs <another>] [--misses]
 *
 * Questions with odd numbers may be looked at for faults, those with even numbers are only counted.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from '../bench/localweb/processes.ts';
import { CHARS_PER_TOKEN, HIGHLIGHTS_MAX } from '../src/contract/limits.ts';
import { startDns } from '../test/fixtures/dns-server.ts';
import { startWeb } from '../test/fixtures/web.ts';
import { shownText } from './manuals/shown-text.ts';
import { post } from './ranking/served-index.ts';

type Asked = { id: string; page: string; question: string; citations: string[] };
type Outcome = {
  asked: Asked;
  part: 'seen' | 'unseen';
  holds: boolean;
  holdsInThree: boolean;
  tokens: number;
};

const TOKENS_MAX = 650;
const HOST = 'docs.sanderling-manuals.org';
const ADDRESS = '127.10.0.9';
const SHOWN_CHARS = 200;

const { values } = parseArgs({
  options: {
    docs: { type: 'string', multiple: true, default: ['/usr/share/doc'] },
    misses: { type: 'boolean', default: false },
  },
});
const asked: Asked[] = JSON.parse(
  readFileSync(resolve(import.meta.dirname, 'citations/questions.json'), 'utf8'),
);
const dns = await startDns({ [HOST]: [ADDRESS] });
const web = await startWeb({
  address: ADDRESS,
  routes: Object.fromEntries(asked.map(({ page }) => [`/${page}`, htmlOf(page)])),
});
const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-citations-'));
try {
  const server = await startServer({
    DATA_DIR: dataDir,
    DNS_SERVERS: dns.address,
    FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
  });
  try {
    const outcomes: Outcome[] = [];
    for (const one of asked) outcomes.push(await outcomeOf(server.address, one));
    report(outcomes);
  } finally {
    await server.stop();
  }
} finally {
  await Promise.all([dns.close(), web.close()]);
  rmSync(dataDir, { recursive: true, force: true });
}

function htmlOf(page: string): string {
  const folder = values.docs.find((docs) => existsSync(join(docs, page)));
  if (folder === undefined) throw new Error(`${page} is in none of ${values.docs.join(', ')}`);
  return readFileSync(join(folder, page), 'utf8');
}

async function outcomeOf(address: string, one: Asked): Promise<Outcome> {
  const all = await highlights(address, one, {
    maxCharacters: TOKENS_MAX * CHARS_PER_TOKEN,
    highlightsPerUrl: HIGHLIGHTS_MAX,
  });
  const three = await highlights(address, one, {});
  const patterns = one.citations.map((citation) => new RegExp(citation));
  const holds = (texts: string[]): boolean =>
    texts.some((text) => patterns.some((pattern) => pattern.test(shownText(text))));
  const outcome: Outcome = {
    asked: one,
    part: Number(one.id.slice(1)) % 2 === 1 ? 'seen' : 'unseen',
    holds: holds(all),
    holdsInThree: holds(three),
    tokens: Math.ceil(all.join('').length / CHARS_PER_TOKEN),
  };
  if (values.misses && outcome.part === 'seen' && !outcome.holds) printMiss(one, all);
  return outcome;
}

async function highlights(
  address: string,
  { page, question }: Asked,
  bounds: { maxCharacters?: number; highlightsPerUrl?: number },
): Promise<string[]> {
  const { results } = await post<{ results: { highlights: string[] }[] }>(`${address}/v1/contents`, {
    urls: [`${web.as(HOST)}/${page}`],
    highlights: { query: question, ...bounds },
  });
  if (results.length === 0) console.log(`${page}: not read`);
  return results[0]?.highlights ?? [];
}

function printMiss({ id, question, citations }: Asked, given: string[]): void {
  console.log(`\n${id} ${question}\n  wanted: ${citations.join(' | ')}`);
  for (const text of given) console.log(`  given: ${JSON.stringify(text.slice(0, SHOWN_CHARS))}`);
}

function report(outcomes: Outcome[]): void {
  console.log(`questions  in ${TOKENS_MAX} tokens  in three highlights  tokens (median)`);
  for (const part of ['seen', 'unseen', 'all']) {
    const chosen = outcomes.filter((one) => part === 'all' || one.part === part);
    const share = (holds: (one: Outcome) => boolean) =>
      `${((100 * chosen.filter(holds).length) / chosen.length).toFixed(1)} %`;
    const tokens = chosen.map((one) => one.tokens).sort((one, other) => one - other);
    console.log(
      [
        part.padEnd(7),
        String(chosen.length).padStart(3),
        share(({ holds }) => holds).padStart(14),
        share(({ holdsInThree }) => holdsInThree).padStart(20),
        String(tokens[Math.floor(tokens.length / 2)] ?? 0).padStart(16),
      ].join(' '),
    );
  }
}
