import type { Mutant } from './mutant.ts';

const LEDGER = ['test/contract/ledger.test.ts'];
const METER = ['src/billing/ledger/meter.test.ts'];
const AT_ONCE = ['src/billing/ledger/charge-at-once.test.ts'];
const RELOAD = ['test/flows/payments/auto-reload.test.ts'];

const QUERIES = 'src/billing/ledger/charge-queries.ts';
const PROCEDURES = 'src/billing/ledger/charge-procedures.ts';
const KEYS = ['test/contract/known-keys.test.ts'];

const TOGETHER = 'src/billing/ledger/together/together-queries.ts';
const TOGETHER_STEPS = 'src/billing/ledger/together/charges-together.ts';
const QUICK_ANSWER = 'src/http/server/repeats/quick-answer.ts';
const QUEUE = 'src/billing/ledger/together/charge-queue.ts';

const KNOWN_KEYS = 'src/billing/keys/known-keys.ts';
const KEY_CHARGE = 'src/billing/ledger/key-charge.ts';

/** Faults in charging at once, and in keeping keys in memory. */
export const chargeMutants: Mutant[] = [
  {
    name: 'charge-without-credits',
    file: QUERIES,
    find: ".where('available', '>=', change.used)",
    replace: '',
    suite: LEDGER,
  },
  {
    name: 'revoked-key-is-charged',
    file: QUERIES,
    find: ".where('state', '=', 'active'))",
    replace: ')',
    suite: LEDGER,
  },
  {
    name: 'charge-asked-again-is-refused',
    file: QUERIES,
    find: "and state = 'captured'), 0)",
    replace: "and state = 'held'), 0)",
    suite: LEDGER,
  },
  {
    name: 'refunded-charge-counts-as-charged',
    file: QUERIES,
    find: "and state = 'captured'), 0)",
    replace: "and state <> 'held'), 0)",
    suite: LEDGER,
  },
  {
    name: 'charge-at-once-buys-nothing',
    file: QUERIES,
    find: '...reloadDecision(change),',
    replace: '',
    suite: RELOAD,
  },
  {
    name: 'charge-is-noted-for-the-first-key',
    file: PROCEDURES,
    find: 'insertCaptured(ledgerStore, { ...change, account, spentBy })',
    replace: 'insertCaptured(ledgerStore, { ...change, account, spentBy: null })',
    suite: LEDGER,
  },
  {
    name: 'charges-together-without-credits',
    file: TOGETHER,
    find: ".where('available', '>=', total)",
    replace: '',
    suite: LEDGER,
  },
  {
    name: 'revoked-key-is-charged-together',
    file: TOGETHER,
    find: ".where('state', '=', 'active'))",
    replace: ')',
    suite: LEDGER,
  },
  {
    name: 'charges-together-buy-nothing',
    file: TOGETHER,
    find: '.where(sql<boolean>`not (',
    replace: '.where(sql<boolean>`true or not (',
    suite: RELOAD,
  },
  {
    name: 'charges-together-leave-one-balance',
    file: TOGETHER_STEPS,
    find: 'taken.available + taken.held + later',
    replace: 'taken.available + taken.held',
    suite: LEDGER,
  },
  {
    name: 'charges-together-count-one-call',
    file: TOGETHER_STEPS,
    find: 'calls: sum.calls + 1',
    replace: 'calls: 1',
    suite: LEDGER,
  },
  {
    name: 'one-id-is-charged-twice-together',
    file: TOGETHER_STEPS,
    find: 'if (new Set(parts.map(({ id }) => id)).size < parts.length) return null;',
    replace: '',
    suite: LEDGER,
  },
  {
    name: 'charges-refused-together-are-not-asked-for-alone',
    file: QUEUE,
    find: 'if (charged === null) await Promise.all(waiting.map(one));',
    replace:
      'if (charged === null) for (const { resolve } of waiting) resolve({ charged: 0, available: 0, purchase: null });',
    suite: [...LEDGER, 'src/billing/ledger/together/charge-queue.test.ts'],
  },
  {
    name: 'charges-of-several-keys-go-as-one',
    file: QUEUE,
    find: '({ wanted }) => wanted.keyId)',
    replace: '() => waiting.length)',
    suite: ['src/billing/ledger/together/charge-queue.test.ts'],
  },
  {
    name: 'charges-of-a-busy-writer-go-at-once',
    file: QUEUE,
    find: "isOneWriter ? '' : keyId",
    replace: 'keyId',
    suite: ['src/billing/ledger/together/charge-queue.test.ts'],
  },
  {
    name: 'cancelled-charge-is-made-later',
    file: PROCEDURES,
    find: 'if (paying === null) return 0;',
    replace: 'if (paying !== null) return yield* refundHold.steps(ledgerStore, { id, at });',
    suite: LEDGER,
  },
  {
    name: 'unanswered-charge-is-only-refunded',
    file: KEY_CHARGE,
    find: 'progress.undo = () => ledger.cancel({ ...wanted, at: clock.now() });',
    replace: '',
    suite: AT_ONCE,
  },
  {
    name: 'charge-is-undone-before-it-is-made',
    file: KEY_CHARGE,
    find: 'progress.placing = () => Promise.allSettled(asked);',
    replace: '',
    suite: AT_ONCE,
  },
  {
    name: 'purchase-of-a-charge-waits',
    file: KEY_CHARGE,
    find: 'if (purchase !== null) deps.onPurchase(purchase);',
    replace: '',
    suite: RELOAD,
  },
  {
    name: 'answer-from-memory-leaves-before-its-charge',
    file: QUICK_ANSWER,
    find: 'charge.charge(worked.used, (problem) => attempt(() => charged(worked, problem), undo));',
    replace: 'charged(worked, null);',
    suite: ['src/http/server/repeats/quick-answer.test.ts'],
  },
  {
    name: 'vanished-caller-pays-for-memory',
    file: QUICK_ANSWER,
    find: 'if (problem !== null || arrival.hungUp.aborted) {',
    replace: 'if (problem !== null) {',
    suite: ['src/http/server/repeats/quick-answer.test.ts'],
  },
  {
    name: 'late-charge-is-undone-before-its-answer',
    file: 'src/billing/ledger/together/quick-charge.ts',
    find: 'late: this.#first?.promise ?? null',
    replace: 'late: null',
    suite: ['src/billing/ledger/together/quick-charge.test.ts'],
  },
  {
    name: 'answer-at-hand-is-free',
    file: 'src/http/calls/charged-call.ts',
    find: 'if (answer !== null && answer.used > 0) await charge.charge(answer.used);',
    replace: '',
    suite: ['src/http/calls/charged-call.test.ts'],
  },
  {
    name: 'kept-key-is-trusted-for-ever',
    file: KNOWN_KEYS,
    find: 'age < 0 || age >= TRUSTED_MS',
    replace: 'age < 0',
    suite: KEYS,
  },
  {
    name: 'changed-keys-stay-in-memory',
    file: KNOWN_KEYS,
    find: 'if (row.version !== version) forget();',
    replace: '',
    suite: KEYS,
  },
  {
    name: 'row-from-before-a-change-is-kept',
    file: KNOWN_KEYS,
    find: 'row !== null && before === drops',
    replace: 'row !== null && before !== -1',
    suite: KEYS,
  },
  {
    name: 'own-change-of-a-key-is-not-noticed',
    file: 'src/app/compose-billing.ts',
    find: "if (procedure.durability === 'flushed') forgetKeys();",
    replace: '',
    suite: KEYS,
  },
  {
    name: 'refused-key-stays-refused',
    file: 'src/app/compose-billing.ts',
    find: '        forgetRefusals();\n',
    replace: '',
    suite: LEDGER,
  },
  {
    name: 'late-refusal-outlives-a-grant',
    file: 'src/billing/limits/refusals.ts',
    find: 'if (before === clearings) refused',
    replace: 'refused',
    suite: ['src/billing/limits/refusals.test.ts'],
  },
  {
    name: 'known-refusal-refuses-what-the-key-has',
    file: 'src/billing/limits/refusals.ts',
    find: ' || last.available >= needed',
    replace: '',
    suite: METER,
  },
  {
    name: 'used-up-allowance-never-comes-back',
    file: 'src/billing/ledger/allowance.ts',
    find: 'if (usedUp.get(counted) === day) return null;',
    replace: 'if (usedUp.has(counted)) return null;',
    suite: ['test/contract/allowance.test.ts'],
  },
];
