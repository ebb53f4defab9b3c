import { itemsOf, settingsOf, WEB_SOURCES } from '../fixtures/recall-fixture.ts';
import type { UpstreamItem } from '../fixtures/upstream/bodies.ts';
import { startUpstream, type UpstreamMode } from '../fixtures/upstream.ts';
import { type Served, serveReal } from '../harness.ts';

/** Results of paid searches over HTTP while the sources change their behaviour at random. */
export type RecallChaosReport = {
  searches: number;
  found: number;
  empty: number;
  unavailable: number;
  /** Violations, in words. */
  faults: string[];
};

export type RecallChaosOptions = {
  /** Searches of each client, one after the other. */
  searches: number;
  seed: number;
  /** A source that stays healthy, so that only 200 is right. Null: every source may fail. */
  steady: (typeof WEB_SOURCES)[number] | null;
  moods: readonly UpstreamMode[];
};

const HEALTHY: readonly UpstreamMode[] = Array.from({ length: 8 }, () => 'ok');
/** Failures after which a source may be asked again. */
export const FAILING: readonly UpstreamMode[] = [
  ...HEALTHY,
  ...(['empty', 'slow', 'down', 'hang', '500', 'garbage', 'truncated', 'html', '10mb'] as const),
];
/** Also refusals, after which a source is not asked again for at least half a minute. */
export const REFUSING: readonly UpstreamMode[] = [...FAILING, '401', '403', '429', 'captcha'];
/** The sources change their moods after so many responses. */
const MOOD_RESPONSES = 3;
/** Below the steady source's limit of concurrent requests, so that it never refuses for lack of capacity. */
export const CLIENTS = 4;
const BEGIN = Date.parse('2026-11-21T12:00:00Z');
/** What each search takes on the service's clock: keeps the steady source below its rate limit. */
const SEARCH_MS = 100;
const FAULTS_MAX = 20;

export async function recallChaos({
  searches,
  seed,
  steady,
  moods,
}: RecallChaosOptions): Promise<RecallChaosReport> {
  const upstream = await startUpstream();
  let now = BEGIN;
  const app = await serveReal(settingsOf(upstream), { clock: { now: () => now } });
  const owner = await app.owner();
  const creditsBefore = await creditsOf(owner);
  const random = randomFrom(seed);
  const report: RecallChaosReport = { searches: 0, found: 0, empty: 0, unavailable: 0, faults: [] };
  /** Queries for which a source has returned results. */
  const answered = new Set<string>();
  const changeMoods = (): void => {
    for (const name of WEB_SOURCES) {
      const mode = name === steady ? 'ok' : pick(moods, random());
      const hasResults = mode === 'ok' || mode === 'slow';
      upstream.play(name, { mode, items: hasResults ? (asked) => noteAnswered(answered, name, asked) : [] });
    }
  };
  changeMoods();
  const client = async (number: number): Promise<void> => {
    for (let turn = 0; turn < searches; turn += 1) {
      const query = `chaos ${number} ${turn}`;
      const { status, json, headers } = await owner.post('/v1/search', { query });
      judge(report, {
        status,
        json,
        retryAfter: headers.get('retry-after'),
        steady,
        wasAnswered: answered.has(query),
      });
      now += SEARCH_MS;
      if (report.searches % MOOD_RESPONSES === 0) changeMoods();
    }
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    const charged = creditsBefore - (await creditsOf(owner));
    const answers = report.found + report.empty;
    if (charged !== answers) report.faults.push(`${charged} credits charged for ${answers} answers`);
  } finally {
    await upstream.close();
    await app.close();
  }
  return report;
}

async function creditsOf({ get }: Pick<Served, 'get'>): Promise<number> {
  return (await get('/v1/balance')).json.credits;
}

function noteAnswered(answered: Set<string>, name: string, asked: URL): UpstreamItem[] {
  answered.add(asked.searchParams.get('q') ?? '');
  return itemsOf(name);
}

type Seen = {
  status: number;
  json: Answer;
  retryAfter: string | null;
  steady: RecallChaosOptions['steady'];
  wasAnswered: boolean;
};
type Answer = { results?: unknown[]; error?: string; service?: { sources: Record<string, { ok: boolean }> } };

function judge(report: RecallChaosReport, { status, json, retryAfter, steady, wasAnswered }: Seen): void {
  const fault = (what: string): void => {
    if (report.faults.length < FAULTS_MAX) report.faults.push(`search ${report.searches}: ${what}`);
  };
  report.searches += 1;
  if (status === 200) {
    const hasAnswer = Object.values(json.service?.sources ?? {}).some(({ ok }) => ok);
    if (!hasAnswer && json.results?.length === 0) fault('an empty list although no source answered');
    if ((json.results?.length ?? 0) > 0) report.found += 1;
    else report.empty += 1;
    if (steady !== null && json.results?.length === 0) fault('nothing found although one source was healthy');
    return;
  }
  report.unavailable += 1;
  if (status !== 503 || json.error !== 'recall_unavailable') fault(`status ${status} ${json.error}`);
  if (retryAfter === null) fault('503 without Retry-After');
  if (wasAnswered) fault('503 although a source returned results');
  if (steady !== null) fault('503 although one source was healthy');
}

const pick = <T>(list: readonly T[], share: number): T => list[Math.floor(share * list.length)] as T;

/** Mulberry32: the same sequence for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
