import { setTimeout as pause } from 'node:timers/promises';
import type { KnownPage } from './known-pages.ts';

/** A server that callers may reach; `lostAt`: when its process was last killed or stopped. */
export type Target = { address: string | null; lostAt: number; isPaused: boolean };

/** What callers have seen. */
export type Seen = {
  answered: number;
  /** 503s that say so in the format of the interface. */
  unavailable: number;
  /** Connections of processes that were killed or stopped. */
  broken: number;
  faults: string[];
};

type Workload = { targets: Target[]; key: string; known: KnownPage[]; site: string };

/** Longer than any call may take: who is not answered by then is not told anything. */
const CALL_MS = 100_000;
const RETRY_MS = 50;
const FAULTS_MAX = 20;
const FAULT_CHARS_MAX = 200;

/** Calls the servers in turn until the signal aborts. */
export async function callUntil(ended: AbortSignal, work: Workload, seen: Seen): Promise<void> {
  for (let turn = 0; !ended.aborted; turn += 1) {
    const target = work.targets[turn % work.targets.length];
    if (target === undefined || target.address === null || target.isPaused) {
      await pause(RETRY_MS);
      continue;
    }
    const begunAt = performance.now();
    try {
      const fault = await callOnce(target.address, work, seen);
      if (fault === null) continue;
      // A stopped process finds, once it goes on, that the request took too long to arrive.
      if (fault.startsWith('408') && target.lostAt >= begunAt) seen.broken += 1;
      else if (seen.faults.length < FAULTS_MAX) seen.faults.push(fault);
    } catch (error) {
      if (target.isPaused || target.lostAt >= begunAt) seen.broken += 1;
      else if (seen.faults.length < FAULTS_MAX)
        seen.faults.push(
          `a connection to a living process broke: ${String(error)} ${String((error as Error).cause ?? '')}`,
        );
      await pause(RETRY_MS);
    }
  }
}

async function callOnce(address: string, { key, known, site }: Workload, seen: Seen): Promise<string | null> {
  const fate = Math.random();
  const page = known[Math.floor(Math.random() * known.length)];
  if (page === undefined) throw new Error('there are no pages to look for');
  if (fate < 0.6)
    return judgeSearch(await post(address, '/v1/search', { query: page.word }, key), page, seen);
  const url = `${site}/p/${Math.floor(Math.random() * 500)}`;
  if (fate < 0.8) return judge(await post(address, '/v1/contents', { urls: [url] }, key), seen);
  return judge(
    await fetch(`${address}/r/${url}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(CALL_MS),
    }),
    seen,
  );
}

function post(address: string, path: string, body: unknown, key: string): Promise<Response> {
  return fetch(address + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_MS),
  });
}

async function judgeSearch(response: Response, page: KnownPage, seen: Seen): Promise<string | null> {
  if (response.status !== 200) return judge(response, seen);
  const { results } = (await response.json()) as { results: { url: string }[] };
  seen.answered += 1;
  return results[0]?.url === page.url
    ? null
    : `a search for ${page.word} found ${results[0]?.url ?? 'nothing'}`;
}

/** A fault in words; null: an honest answer. */
async function judge(response: Response, seen: Seen): Promise<string | null> {
  const text = await response.text();
  if (response.status === 200) {
    seen.answered += 1;
    return null;
  }
  if (response.status === 503 && text.includes('"error"')) {
    seen.unavailable += 1;
    return null;
  }
  return `${response.status} ${text.slice(0, FAULT_CHARS_MAX)}`;
}

/** A search that takes longer has waited for what was lost. */
const PROMPT_SECONDS = 1;

/**
 * Searches for some pages until a server has found each; resolves to the seconds after which every search was right at once. Throws
 * if that is later than `secondsMax`.
 */
export async function rightAgain(
  address: string,
  { key, known }: Pick<Workload, 'key' | 'known'>,
  secondsMax: number,
): Promise<number> {
  const begunAt = performance.now();
  const seconds = (): number => (performance.now() - begunAt) / 1_000;
  let rightAfter = 0;
  for (const page of known.slice(0, 10)) {
    const askedAt = seconds();
    let fault = await faultOf(address, { key, page });
    let last = fault;
    while (fault !== null && seconds() <= secondsMax) {
      await pause(RETRY_MS);
      fault = await faultOf(address, { key, page });
      last = fault ?? last;
    }
    if (seconds() - askedAt > PROMPT_SECONDS) rightAfter = seconds();
    if (rightAfter > secondsMax)
      throw new Error(`search was not right for ${rightAfter.toFixed(1)} s: ${last ?? 'it was slow'}`);
  }
  return rightAfter;
}

/** What is wrong with a search for a page, in words; null: it is found. */
async function faultOf(
  address: string,
  { key, page }: { key: string; page: KnownPage },
): Promise<string | null> {
  const seen: Seen = { answered: 0, unavailable: 0, broken: 0, faults: [] };
  try {
    const response = await post(address, '/v1/search', { query: page.word }, key);
    const said = response.clone();
    const fault = await judgeSearch(response, page, seen);
    return fault ?? (seen.answered === 1 ? null : `503 ${(await said.text()).slice(0, FAULT_CHARS_MAX)}`);
  } catch (error) {
    return String(error);
  }
}
