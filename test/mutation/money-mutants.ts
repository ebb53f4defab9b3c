import type { Mutant } from './mutant.ts';

const LEDGER = ['test/contract/ledger.test.ts'];
const METER = ['src/billing/ledger/meter.test.ts'];
const RELOAD = ['test/flows/payments/auto-reload.test.ts'];
const SALES = ['test/contract/payment-provider.test.ts', 'test/flows/payments/refunds.test.ts'];

const ROLLING = ['test/contract/retention/retention.test.ts'];

const ROLL = 'src/billing/retention/retention-procedures.ts';
const CHARGES = 'src/billing/ledger/charge-procedures.ts';
const REVERSALS = 'src/billing/payments/refund-dispute-procedures.ts';
const PURCHASES = 'src/billing/payments/purchases.ts';

/** Faults in holding, charging, refunding and selling credits. */
export const moneyMutants: Mutant[] = [
  {
    name: 'disputed-credits-are-spent',
    file: CHARGES,
    find: "'(account.available - account.disputed)'",
    replace: "'account.available'",
    suite: ['test/flows/payments/refunds.test.ts'],
  },
  {
    name: 'hold-without-credits',
    file: CHARGES,
    find: ' < :input.least then 0',
    replace: ' < 0 then 0',
    suite: LEDGER,
  },
  {
    name: 'revoked-key-spends',
    file: CHARGES,
    find: " or api_key.state <> 'active'",
    replace: '',
    suite: LEDGER,
  },
  {
    name: 'hold-settles-twice',
    file: CHARGES,
    find: " and state = 'held'",
    replace: '',
    suite: LEDGER,
  },
  {
    name: 'usage-entry-adds',
    file: CHARGES,
    find: ':input.id, -:movement.used',
    replace: ':input.id, :movement.used',
    suite: LEDGER,
  },
  {
    name: 'settlement-returns-everything',
    file: CHARGES,
    find: ' amount - used as to_available',
    replace: ' amount as to_available',
    suite: LEDGER,
  },
  {
    name: 'refund-stays-in-usage',
    file: CHARGES,
    find: ':input.day, -:posting.delta',
    replace: ':input.day, case when :posting.delta < 0 then -:posting.delta else 0 end',
    suite: LEDGER,
  },
  {
    name: 'refund-counts-on-its-own-day',
    file: CHARGES,
    find: 'day: toUtcDay(usage.at)',
    replace: 'day: toUtcDay(at)',
    suite: LEDGER,
  },
  {
    name: 'refund-counts-twice',
    file: CHARGES,
    find: "if (hold?.state !== 'captured') return 0;",
    replace: 'if (hold === null) return 0;',
    suite: LEDGER,
  },
  {
    name: 'renewal-does-not-lengthen-a-hold',
    file: CHARGES,
    find: ".where('expires_at', '<', expiresAt)",
    replace: ".where('expires_at', '>', expiresAt)",
    suite: LEDGER,
  },
  {
    name: 'reload-at-the-threshold',
    file: CHARGES,
    find: '< reload_threshold',
    replace: '<= reload_threshold',
    suite: RELOAD,
  },
  {
    name: 'reload-beyond-the-cap',
    file: CHARGES,
    find: '<= reload_cap_cents',
    replace: '<= reload_cap_cents + 10000',
    suite: RELOAD,
  },
  {
    name: 'reload-while-one-is-open',
    file: CHARGES,
    find: 'and reload_purchase is null',
    replace: '',
    suite: RELOAD,
  },
  {
    name: 'one-free-request-too-many',
    file: 'src/billing/ledger/allowance.ts',
    find: ".where('allowance.used', '<', most)",
    replace: ".where('allowance.used', '<=', most)",
    suite: ['test/contract/allowance.test.ts'],
  },
  {
    name: 'free-requests-per-ipv6-address',
    file: 'src/billing/ledger/address-prefixes.ts',
    find: 'ipv4: 32, ipv6: 64',
    replace: 'ipv4: 32, ipv6: 128',
    suite: ['src/billing/ledger/address-prefixes.test.ts'],
  },
  {
    name: 'grant-counts-twice',
    file: 'src/billing/keys/key-procedures.ts',
    find: "if (before !== null) return { kind: 'granted before'",
    replace: "if (before?.credits === -1) return { kind: 'granted before'",
    suite: LEDGER,
  },
  {
    name: 'refunded-payment-claws-back-again',
    file: REVERSALS,
    find: 'const due = back - sale.clawed_back;',
    replace: 'const due = back;',
    suite: SALES,
  },
  {
    name: 'late-message-reopens-a-dispute',
    file: REVERSALS,
    find: 'if (sale.aftermath !== seen) return false;',
    replace: '',
    suite: SALES,
  },
  {
    name: 'partly-lost-dispute-takes-all',
    file: REVERSALS,
    find: 'Math.min(lostCents, Math.max(0, sale.cents - refundedCents))',
    replace: "(dispute === 'lost' ? sale.cents - refundedCents : 0)",
    suite: SALES,
  },
  {
    name: 'failed-refund-keeps-the-credits',
    file: REVERSALS,
    find: 'else if (due < 0) yield* restoreCredits(ledgerStore, { ...changed, credits: -due });',
    replace: '',
    suite: SALES,
  },
  {
    name: 'two-executors-charge-one-purchase',
    file: PURCHASES,
    find: '.where(leases.isFree(args.now))',
    replace: '',
    suite: RELOAD,
  },
  {
    name: 'reply-lost-settlement-is-not-recognized',
    file: 'src/billing/ledger/meter.ts',
    find: 'hold?.used === used &&',
    replace: 'hold?.used !== used &&',
    suite: METER,
  },
  {
    name: 'refunded-call-reports-too-few-credits',
    file: 'src/billing/ledger/meter.ts',
    find: 'if (left !== null) progress.left = left + amount;',
    replace: '',
    suite: ['test/http/calls/charging.test.ts'],
  },
  {
    name: 'vanished-caller-pays',
    file: 'src/http/calls/charged-call.ts',
    find: 'if (hungUp.aborted) throw new HungUp();',
    replace: '',
    suite: ['test/http/calls/charging.test.ts', 'test/http/calls/charge-stands.test.ts'],
  },
  {
    name: 'refunded-call-is-rolled',
    file: ROLL,
    find: "kind === 'usage' && !refunded.has(ref)",
    replace: "kind === 'usage'",
    suite: ROLLING,
  },
  {
    name: 'grant-is-rolled',
    file: ROLL,
    find: "({ kind, ref }) => kind === 'usage' && !refunded.has(ref)",
    replace: '({ ref }) => !refunded.has(ref)',
    suite: ROLLING,
  },
  {
    name: 'rolled-entry-joins-two-days',
    file: ROLL,
    find: ' && computeDayStart(last) === computeDayStart(charge))',
    replace: ')',
    suite: ROLLING,
  },
  {
    name: 'rolled-entry-spans-a-gap',
    file: ROLL,
    find: 'last?.version === charge.version - 1 &&',
    replace: 'last !== undefined &&',
    suite: ROLLING,
  },
  {
    name: 'young-charge-is-rolled',
    file: ROLL,
    find: '({ at }) => at >= before',
    replace: '({ at }) => at < 0',
    suite: ROLLING,
  },
  {
    name: 'rolled-call-can-be-refunded',
    file: ROLL,
    find: '    yield* readRows(deleteCapturedHolds(db, range));\n',
    replace: '',
    suite: ROLLING,
  },
  {
    name: 'rolled-entry-forgets-what-it-continues',
    file: ROLL,
    find: 'sql<number>`delta + ',
    replace: 'sql<number>`0 + ',
    suite: ROLLING,
  },
  {
    name: 'broken-chain-is-rolled',
    file: ROLL,
    find: "assert(last.balance === first.balance - first.delta + delta, 'the balances of rolled charges add up');",
    replace: '',
    suite: ROLLING,
  },
  {
    name: 'open-hold-is-forgotten',
    file: 'src/billing/retention/retention-procedures.ts',
    find: "at: 'expires_at', where: sql`state <> 'held'`",
    replace: "at: 'expires_at', where: sql`state <> ''`",
    suite: ROLLING,
  },
  {
    name: 'rolled-day-is-not-audited',
    file: 'src/billing/audit/audit.ts',
    find: "['usage', 'rolled']",
    replace: "['usage']",
    suite: ['test/contract/retention/rolled-audit.test.ts'],
  },
];
