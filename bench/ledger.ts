/**
 * The cost of a charge: hold and settle through the meter, on one shared key and on a thousand, with 1, 8 and 64 callers; a bare
 * `update ... returning` on the same store as the baseline; grants, which are flushed to the disk; and a key with auto-reload,
 * alternating with one without.
 *
 *   npm run bench:ledger [-- --store sqlite|postgres|both] [--ms 3000]
 *
 * PostgreSQL: TEST_DATABASE_URL (default: the one of this machine). The bar, on SQLite with 8 callers: less than 1 ms at p50, and the event
 * loop never blocked for more than 10 ms. On a busy machine, the loop also waits for a processor: `loop busy max` is the delay by its own work.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Billing, createBilling } from '../src/app/compose-billing.ts';
import { createLog } from '../src/platform/log.ts';
import { createTestDatabase, noServer } from '../test/fixtures/postgres.ts';
import { type BareUpdate, barePostgres, bareSqlite } from './ledger/bare-update.ts';
import { createReloadingKey } from './ledger/reloading-key.ts';
import { type Round, runRound } from './ledger/rounds.ts';

const CALLERS = [1, 8, 64];
const KEYS = 1_000;
const KEYS_AT_ONCE = 20;
const CREDITS = 1_000_000_000;
const TURNS = 9;
const PLAIN_FIRST = ['plain', 'reloading'] as const;

const { values } = parseArgs({
  options: { store: { type: 'string', default: 'both' }, ms: { type: 'string', default: '3000' } },
});
const ms = Number(values.ms);
let calls = 0;

if (values.store !== 'postgres') await measure('SQLite', null);
if (values.store !== 'sqlite') {
  const database = await createTestDatabase();
  if (database === null) throw new Error(noServer);
  try {
    await measure('PostgreSQL', database.url);
  } finally {
    await database.drop();
  }
}

async function measure(store: string, databaseUrl: string | null): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-bench-'));
  const billing = await createBilling({ dataDir, databaseUrl }, { log: createLog('silent') });
  const keyIds = await createKeys(billing);
  const bare = databaseUrl === null ? bareSqlite(dataDir, keyIds) : await barePostgres(databaseUrl, keyIds);
  try {
    for (const [keys, among] of [
      ['one hot key', keyIds.slice(0, 1)],
      ['1,000 keys', keyIds],
    ] as const)
      await compare(`${store}, ${keys}`, { billing, bare, among });
    await measureGrants(`${store}, grants (flushed)`, billing, keyIds);
    await compareReloading(`${store}, auto-reload, 8 callers`, billing, {
      plain: keyIds[0] ?? '',
      reloading: await createReloadingKey(billing, dataDir),
    });
  } finally {
    await bare.close();
    await billing.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function createKeys({ keys }: Billing): Promise<string[]> {
  const keyIds: string[] = [];
  while (keyIds.length < KEYS) {
    const made = Array.from({ length: KEYS_AT_ONCE }, () => keys.create({ credits: CREDITS, label: null }));
    keyIds.push(...(await Promise.all(made)).map(({ keyId }) => keyId));
  }
  return keyIds;
}

async function compare(
  title: string,
  { billing, bare, among }: { billing: Billing; bare: BareUpdate; among: string[] },
): Promise<void> {
  const rows: Record<string, Record<string, string>> = {};
  for (const callers of CALLERS) {
    const baseline = await runRound({ callers, ms }, () => bare.run(anyOf(among)));
    const pair = await runRound({ callers, ms }, () => holdAndSettle(billing, anyOf(among)));
    rows[`${callers} callers, bare update`] = told(baseline);
    rows[`${callers} callers, hold + settle`] = {
      ...told(pair),
      'of the bare rate': (pair.perSecond / baseline.perSecond).toFixed(2),
    };
  }
  console.log(title);
  console.table(rows);
}

async function measureGrants(title: string, billing: Billing, among: string[]): Promise<void> {
  const rows: Record<string, Record<string, string>> = {};
  for (const callers of CALLERS)
    rows[`${callers} callers`] = told(
      await runRound({ callers, ms }, () =>
        billing.keys.grant({ keyId: anyOf(among), credits: 1, ref: `bench ${++calls}` }),
      ),
    );
  console.log(title);
  console.table(rows);
}

/** Alternates, so that both see the same machine; prints the medians. */
async function compareReloading(
  title: string,
  billing: Billing,
  keys: { plain: string; reloading: string },
): Promise<void> {
  const rounds: Record<keyof typeof keys, Round[]> = { plain: [], reloading: [] };
  for (let turn = 0; turn < TURNS; turn++)
    for (const which of turn % 2 === 0 ? PLAIN_FIRST : PLAIN_FIRST.toReversed()) {
      const round = await runRound({ callers: 8, ms: ms / 2 }, () => holdAndSettle(billing, keys[which]));
      rounds[which].push(round);
    }
  const { n } = await billing.ledgerStore.db
    .selectFrom('purchase')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('state', '=', 'succeeded')
    .executeTakeFirstOrThrow();
  const { plain, reloading } = { plain: medians(rounds.plain), reloading: medians(rounds.reloading) };
  console.log(title);
  console.table({
    'without auto-reload': { 'a second': plain.perSecond.toFixed(0), 'CPU ms': plain.cpuMs.toFixed(3) },
    'with auto-reload': {
      'a second': reloading.perSecond.toFixed(0),
      'CPU ms': reloading.cpuMs.toFixed(3),
      'of that without': (reloading.perSecond / plain.perSecond).toFixed(2),
      'of its CPU': (reloading.cpuMs / plain.cpuMs).toFixed(2),
      'packs bought': n,
    },
  });
}

function medians(rounds: Round[]): Pick<Round, 'perSecond' | 'cpuMs'> {
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    cpuMs: median(rounds.map(({ cpuMs }) => cpuMs)),
  };
}

function median(numbers: number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

async function holdAndSettle({ meter }: Billing, keyId: string): Promise<void> {
  const charge = await meter.beginCharge({ kind: 'key', keyId }, `bench ${++calls}`);
  await charge.hold(1, 0);
  await charge.settle(1);
}

function told({ perSecond, p50Ms, p99Ms, cpuMs, loop }: Round): Record<string, string> {
  return {
    'a second': perSecond.toFixed(0),
    'p50 ms': p50Ms.toFixed(2),
    'p99 ms': p99Ms.toFixed(2),
    'CPU ms': cpuMs.toFixed(3),
    'loop p99 ms': loop.p99Ms.toFixed(1),
    'loop max ms': loop.maxMs.toFixed(1),
    'loop busy max ms': loop.busyMaxMs.toFixed(1),
  };
}

function anyOf(keyIds: string[]): string {
  return keyIds[Math.floor(Math.random() * keyIds.length)] ?? '';
}
