/**
 * The audit: checks every ledger entry, hold, sale and day of usage against the invariants that the ledger promises.
 * It reads one snapshot and changes nothing; a fault is reported, never repaired. `audit-runner.ts` runs it beside a server.
 */
import { type Kysely, sql } from 'kysely';
import { DAY_MS } from '../../platform/clock.ts';
import type { LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerQueries, LedgerStore } from '../../platform/store/ledger/procedure.ts';
import {
  type Check,
  chain,
  createCheck,
  createRepeatedCheck,
  credits,
  type FaultReport,
  payments,
  rolled,
  selectHorizon,
} from './checks.ts';

const describeEntries = (charged: number | null, refunded: number | null): string =>
  `${charged === null ? 'no charge' : `a charge of ${charged}`} and ${refunded === null ? 'no refund' : `a refund of ${refunded}`}`;
const captured = createCheck(
  (ledgerStore) =>
    selectHoldsWithEntries(ledgerStore)
      .where('state', 'not in', ['held', 'voided'])
      .where(
        sql<boolean>`not (used > 0 and coalesce(-usage.delta, 0) = used and (
          (state = 'captured' and refund.delta is null) or
          (state = 'refunded' and coalesce(refund.delta, 0) = used)))`,
      ),
  ({ id, state, used, charged, refunded }) => {
    const hold = `the hold ${id} is ${state} with ${used} used`;
    if (state !== 'captured' && state !== 'refunded') return `${hold}: there is no such state`;
    const expected = describeEntries(used, state === 'refunded' ? used : null);
    return `${hold}: expected ${expected}, found ${describeEntries(charged, refunded)}`;
  },
);

const unheld = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .leftJoin('hold', (on) =>
        on.onRef('hold.id', '=', 'entry.ref').onRef('hold.key_id', '=', 'entry.key_id'),
      )
      .select(['entry.key_id', 'version', 'kind', 'ref', 'delta'])
      .where('kind', 'in', ['usage', 'refund'])
      .where('hold.id', 'is', null)
      // Below the horizon, ended holds may have been deleted.
      .where(sql<boolean>`at >= ${selectHorizon('hold')}`),
  ({ version, kind, ref, delta }) =>
    `entry ${version} (${kind}, ${delta}) is for the hold ${ref}, which this key never had`,
);

const voided = createCheck(
  (ledgerStore) =>
    selectHoldsWithEntries(ledgerStore)
      .where('state', 'in', ['held', 'voided'])
      .where((is) =>
        is.or([is('used', '!=', 0), is('usage.delta', 'is not', null), is('refund.delta', 'is not', null)]),
      ),
  ({ id, state, used, charged, refunded }) =>
    `the hold ${id} is ${state} with ${used} used: expected 0 used and no entries, found ${describeEntries(charged, refunded)}`,
);

/** I4 and I9. */
const holds = {
  ended: [captured, unheld, createRepeatedCheck(['usage', 'refund'])],
  voided: [voided],
} as const;

const heldByAccounts = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .leftJoin(
        db
          .selectFrom('hold')
          .select(({ fn }) => ['key_id', fn.sum<number>('amount').as('amount')])
          // A literal, so that SQLite uses the index of open holds.
          .where('state', '=', sql.lit('held'))
          .groupBy('key_id')
          .as('open'),
        'open.key_id',
        'account.key_id',
      )
      .select(['account.key_id', 'held', sql<number>`coalesce(amount, 0)`.as('open')])
      .where(sql<boolean>`held <> coalesce(amount, 0)`),
  ({ held, open }) => `the account holds ${held}, its open holds add up to ${open}`,
);

const heldWithoutAccount = createCheck(
  ({ db }) =>
    db
      .selectFrom('hold')
      .leftJoin('account', 'account.key_id', 'hold.key_id')
      .select(['hold.key_id', 'id', 'amount'])
      .where('state', '=', sql.lit('held'))
      .where('account.key_id', 'is', null),
  ({ id, amount }) => `the open hold ${id} of ${amount} belongs to a key without an account`,
);

const accounts = createCheck(
  ({ db }) =>
    db
      .selectFrom('account')
      .select(['key_id', 'available', 'held'])
      .where((is) => is.or([is('available', '<', 0), is('held', '<', 0)])),
  ({ available, held }) => `the account has ${available} available and ${held} held`,
);

const entries = createCheck(
  ({ db }) => db.selectFrom('entry').select(['key_id', 'version', 'balance']).where('balance', '<', 0),
  ({ version, balance }) => `entry ${version} leaves a balance of ${balance}`,
);

const amounts = createCheck(
  ({ db }) =>
    db
      .selectFrom('hold')
      .select(['key_id', 'id', 'amount', 'used'])
      .where((is) =>
        is.or([is('amount', '<=', 0), is('used', '<', 0), is('used', '>', is.ref('hold.amount'))]),
      ),
  ({ id, amount, used }) => `the hold ${id} of ${amount} has ${used} used`,
);

const days = createCheck(
  ({ db }) => db.selectFrom('usage_day').select(['key_id', 'day', 'credits']).where('credits', '<', 0),
  ({ day, credits }) => `the usage of ${day} is ${credits}`,
);

/** I2 and I3. */
const balances = {
  held: [heldByAccounts, heldWithoutAccount],
  negative: [accounts, entries, amounts, days],
} as const;

/** The UTC day of a usage entry, as `YYYY-MM-DD`. */
const DAY_OF_USAGE = {
  sqlite: sql<string>`strftime('%Y-%m-%d', usage.at / 1000, 'unixepoch')`,
  postgres: sql<string>`to_char(date '1970-01-01' + (usage.at / ${sql.lit(DAY_MS)})::integer, 'YYYY-MM-DD')`,
};

/** A refund reduces the usage of the day that was charged, not of the day of the refund. */
const sums = createCheck(
  ({ db, dialect }) =>
    db
      .selectFrom(
        db
          .selectFrom('usage_day')
          .select(['key_id', 'day', 'credits as counted', sql<number>`0`.as('entered')])
          .unionAll(
            db
              .selectFrom('entry as usage')
              .leftJoin('entry as refund', (on) =>
                on
                  .on('usage.kind', '=', 'usage')
                  .on('refund.kind', '=', 'refund')
                  .onRef('refund.ref', '=', 'usage.ref'),
              )
              .where('usage.kind', 'in', ['usage', 'rolled'])
              .select(['usage.key_id', DAY_OF_USAGE[dialect].as('day'), sql<number>`0`.as('counted')])
              .select(sql<number>`-usage.delta - coalesce(refund.delta, 0)`.as('entered')),
          )
          .as('beside'),
      )
      .select(({ fn }) => [
        'key_id',
        'day',
        fn.sum<number>('counted').as('counted'),
        fn.sum<number>('entered').as('entered'),
      ])
      .groupBy(['key_id', 'day'])
      .having(sql<boolean>`sum(counted) <> sum(entered)`),
  ({ day, counted, entered }) => `${day} counts ${counted} credits used, its entries add up to ${entered}`,
);

const usageDays: readonly Check[] = [sums];

/** Invariants of the ledger. The audit reports where one does not hold. */
export const INVARIANTS = {
  I1: "a key's entries are numbered without gaps and add up to its balance",
  I2: 'the credits held by an account are the sum of its open holds',
  I3: 'nothing is negative',
  I4: 'each hold ended once, with the entries that belong to its state',
  I5: 'credits come only from grants and sales, each counted once',
  I6: 'a key has at most one open purchase',
  I7: "a month's spending is the sum of its purchases",
  I8: 'auto-reload is off after it failed',
  I9: 'an open or voided hold has no entries',
  rolled: 'old charges are rolled by whole days, and refunds have their charges',
  days: "a day's usage is the sum of its entries",
  rows: 'every row is as it was written',
} as const;

export type Invariant = keyof typeof INVARIANTS;

/** A fault in the ledger; `keyId` is null if it belongs to no key, or to several. */
export type Finding = { invariant: Invariant; keyId: string | null; text: string };

/** Resolves to the findings in the order of the invariants; none if the ledger is consistent. */
type Audit = () => Promise<Finding[]>;

/** Maximum findings listed per invariant. One more then states how many were left out. */
export const FINDINGS_MAX = 20;

const CHECKS: readonly (Check & { invariant: Invariant })[] = [
  ...labelChecks('I1', chain),
  ...labelChecks('I2', balances.held),
  ...labelChecks('I3', balances.negative),
  ...labelChecks('I4', holds.ended),
  ...labelChecks('I5', credits),
  ...labelChecks('I5', payments.sold),
  ...labelChecks('I6', payments.open),
  ...labelChecks('I7', payments.spent),
  ...labelChecks('I8', payments.failures),
  ...labelChecks('I9', holds.voided),
  ...labelChecks('rolled', rolled),
  ...labelChecks('days', usageDays),
];

/** Audits one snapshot of the whole store, so it may run while calls are charged. */
export function createAudit({
  ledgerStore,
}: {
  ledgerStore: Pick<LedgerStore, 'dialect' | 'snapshot' | 'findDamage'>;
}): Audit {
  return async () => [
    ...(await auditEntries(ledgerStore)),
    ...(await ledgerStore.findDamage()).map((text): Finding => ({ invariant: 'rows', keyId: null, text })),
  ];
}

function auditEntries(ledgerStore: Pick<LedgerStore, 'dialect' | 'snapshot'>): Promise<Finding[]> {
  return ledgerStore.snapshot(async (db) => {
    if (ledgerStore.dialect === 'postgres') await joinWholeTables(db);
    const found = new Map<Invariant, FaultReport[]>();
    for (const { invariant, find } of CHECKS) {
      const broken = await find({ db, dialect: ledgerStore.dialect }, FINDINGS_MAX);
      found.set(invariant, [...(found.get(invariant) ?? []), broken]);
    }
    return [...found].flatMap(([invariant, broken]) => buildFindings(invariant, broken));
  });
}

/**
 * Turns nested loops and merge joins off for the rest of the transaction. Each check joins whole tables; with statistics from before a
 * table grew, the planner would join them row by row, or merge them by key alone, which takes minutes at 100,000 entries.
 */
async function joinWholeTables(db: Kysely<LedgerTables>): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(db);
  await sql`set local enable_mergejoin = off`.execute(db);
}

function buildFindings(invariant: Invariant, broken: FaultReport[]): Finding[] {
  const listed = broken.flatMap(({ places }) => places).slice(0, FINDINGS_MAX);
  const unlisted = broken.reduce((sum, { count }) => sum + count, 0) - listed.length;
  const findings = listed.map((place) => ({ invariant, ...place }));
  if (unlisted > 0) findings.push({ invariant, keyId: null, text: `and ${unlisted} more` });
  return findings;
}

function labelChecks(invariant: Invariant, checks: readonly Check[]): (Check & { invariant: Invariant })[] {
  return checks.map((check) => ({ invariant, ...check }));
}

/** Selects each hold with its entries. A second entry of the same kind is reported by another check. */
function selectHoldsWithEntries({ db }: LedgerQueries) {
  return db
    .selectFrom('hold')
    .leftJoin('entry as usage', (on) =>
      on
        .on('usage.kind', '=', 'usage')
        .onRef('usage.ref', '=', 'hold.id')
        .onRef('usage.key_id', '=', 'hold.key_id'),
    )
    .leftJoin('entry as refund', (on) =>
      on
        .on('refund.kind', '=', 'refund')
        .onRef('refund.ref', '=', 'hold.id')
        .onRef('refund.key_id', '=', 'hold.key_id'),
    )
    .select(['hold.key_id', 'id', 'state', 'used'])
    .select([sql<number | null>`-usage.delta`.as('charged'), 'refund.delta as refunded']);
}
