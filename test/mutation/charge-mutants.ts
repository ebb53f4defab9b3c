import type { Mutant } from './mutant.ts';

const LEDGER = ['test/contract/ledger.test.ts'];
const METER = ['src/billing/ledger/meter.test.ts'];
const KEYS = ['test/contract/known-keys.test.ts'];

const KNOWN_KEYS = 'src/billing/keys/known-keys.ts';

/** Faults in what is remembered of keys, refusals, repeatable calls and rows. */
export const chargeMutants: Mutant[] = [
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
    file: 'src/billing/ledger/meter.ts',
    find: 'if (before === clearings) refused',
    replace: 'refused',
    suite: ['src/billing/ledger/refusals.test.ts'],
  },
  {
    name: 'known-refusal-refuses-what-the-key-has',
    file: 'src/billing/ledger/meter.ts',
    find: ' || last.available - last.disputed >= needed',
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
  {
    name: 'lost-attempt-keeps-its-key',
    file: 'src/billing/ledger/idempotency.ts',
    find: ' or coalesce(idempotent_call.lost_at',
    replace: ' or false and coalesce(idempotent_call.lost_at',
    suite: ['test/contract/idempotency.test.ts'],
  },
  {
    name: 'response-that-is-not-to-be-stored-is-kept',
    file: 'src/http/calls/idempotency.ts',
    find: 'return keep && body.store !== false',
    replace: 'return body.store !== false',
    suite: ['test/flows/idempotency.test.ts'],
  },
  {
    name: 'incomplete-free-answer-is-repeated',
    file: 'src/http/calls/idempotency.ts',
    find: 'answer.used === 0 && (answer.incomplete ?? []).length > 0',
    replace: 'answer.used === -1',
    suite: ['src/http/calls/idempotency.test.ts'],
  },
  {
    name: 'sums-miss-a-changed-integer',
    file: 'src/platform/store/row-sums.ts',
    find: "...change('integers', integers, (row) => buildIntegerSum(table, row)),",
    replace: '',
    suite: ['src/platform/store/row-sums.test.ts'],
  },
];
