import { itemsOf, settingsOf, WEB_SOURCES } from '../fixtures/recall-fixture.ts';
import type { UpstreamItem } from '../fixtures/upstream/bodies.ts';
import { startUpstream, type UpstreamMode } from '../fixtures/upstream.ts';
import { type Served, serveReal } from '../harness.ts';

/** What came of a storm: paid searches over HTTP while the sources change their moods at random. */
export type RecallChaosReport = {
  searches: number;
  found: number;
  empty: number;
  unavailable: number;
  /** What must not be, in words. */
  faults: string[];
  msMax: number;
};

export type RecallChaosOptions = {
  seconds: number;
  seed: number;
  /** This source stays well: then nothing but 200 is right. Null: all sources take part. */
  steady: (typeof WEB_SOURCES)[number] | null;
  moods: readonly UpstreamMode[];
};

const WELL: readonly UpstreamMode[] = Array.from({ length: 8 }, () => 'ok');
/** Ways to fail that a source may be asked again after. */
export const FAILING: readonly UpstreamMode[] = [
  ...WELL,
  ...(['empty', 'slow', 'down', 'hang', '500', 'garbage', 'truncated', 'html', '10mb'] as const),
];
/** Those too by which a source says that it wants to be left alone, for half a minute at least. */
export const REFUSING: readonly UpstreamMode[] = [...FAILING, '401', '403', '429', 'captcha'];
const MOOD_MS = 250;
/** Below the bound of the steady source, so that its refusals are never for want of room. */
export const CLIENTS = 4;
const PAUSE_MS = 300;
/** The route's own limit is 8 s; the rest is what a busy machine may add. */
const ANSWER_MS_MAX = 15_000;
const FAULTS_MAX = 20;

export async function recallChaos({
  seconds,
  seed,
  steady,
  moods,
}: RecallChaosOptions): Promise<RecallChaosReport> {
  const upstream = await startUpstream();
  const app = await serveReal(settingsOf(upstream));
  const owner = await app.owner();
  const creditsBefore = await creditsOf(owner);
  const random = randomFrom(seed);
  const report: RecallChaosReport = { searches: 0, found: 0, empty: 0, unavailable: 0, faults: [], msMax: 0 };
  const until = performance.now() + seconds * 1_000;
  /** The queries that some source has given results for. */
  const answered = new Set<string>();
  const changeMoods = (): void => {
    for (const name of WEB_SOURCES) {
      const mode = name === steady ? 'ok' : pick(moods, random());
      const tells = mode === 'ok' || mode === 'slow';
      upstream.play(name, { mode, items: tells ? (asked) => told(answered, name, asked) : [] });
    }
  };
  changeMoods();
  const weather = setInterval(changeMoods, MOOD_MS);
  const client = async (number: number): Promise<void> => {
    for (let turn = 0; performance.now() < until; turn += 1) {
      const begun = performance.now();
      const query = `storm ${number} ${turn}`;
      const { status, json, headers } = await owner.post('/v1/search', { query });
      judge(report, {
        status,
        json,
        retryAfter: headers.get('retry-after'),
        ms: performance.now() - begun,
        steady,
        wasAnswered: answered.has(query),
      });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    const charged = creditsBefore - (await creditsOf(owner));
    const answers = report.found + report.empty;
    if (charged !== answers) report.faults.push(`${charged} credits charged for ${answers} answers`);
  } finally {
    clearInterval(weather);
    await upstream.close();
    await app.close();
  }
  return report;
}

async function creditsOf({ get }: Pick<Served, 'get'>): Promise<number> {
  return (await get('/v1/balance')).json.credits;
}

function told(answered: Set<string>, name: string, asked: URL): UpstreamItem[] {
  answered.add(asked.searchParams.get('q') ?? '');
  return itemsOf(name);
}

type Seen = {
  status: number;
  json: Answer;
  retryAfter: string | null;
  ms: number;
  steady: RecallChaosOptions['steady'];
  wasAnswered: boolean;
};
type Answer = { results?: unknown[]; error?: string; service?: { sources: Record<string, { ok: boolean }> } };

function judge(report: RecallChaosReport, { status, json, retryAfter, ms, steady, wasAnswered }: Seen): void {
  const fault = (what: string): void => {
    if (report.faults.length < FAULTS_MAX) report.faults.push(`search ${report.searches}: ${what}`);
  };
  report.searches += 1;
  report.msMax = Math.max(report.msMax, Math.round(ms));
  if (ms > ANSWER_MS_MAX) fault(`${Math.round(ms)} ms`);
  if (status === 200) {
    const hasAnswer = Object.values(json.service?.sources ?? {}).some(({ ok }) => ok);
    if (!hasAnswer && json.results?.length === 0) fault('an empty list although nobody answered');
    if ((json.results?.length ?? 0) > 0) report.found += 1;
    else report.empty += 1;
    if (steady !== null && json.results?.length === 0) fault('nothing found although one source was well');
    return;
  }
  report.unavailable += 1;
  if (status !== 503 || json.error !== 'recall_unavailable') fault(`status ${status} ${json.error}`);
  if (retryAfter === null) fault('503 without Retry-After');
  if (wasAnswered) fault('503 although a source gave results');
  if (steady !== null) fault('503 although one source was well');
}

const pick = <T>(list: readonly T[], share: number): T => list[Math.floor(share * list.length)] as T;

/** Mulberry32: the same storm for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
