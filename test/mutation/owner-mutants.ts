import type { Mutant } from './mutant.ts';

const OWNERS = ['test/contract/owner-keys.test.ts'];
const OWNER_PAYMENTS = ['test/contract/owner-payments.test.ts'];

const ENDED_KEYS = ['test/mcp/calls.test.ts', 'test/http/shape-b/research.test.ts'];
const ACCOUNT_PAGES = ['test/http/site/account-keys.test.ts'];
const OWNER_PROCEDURES = 'src/billing/keys/key-procedures.ts';

/** Faults in the keys, sessions, cards and recovery of owners. */
export const ownerMutants: Mutant[] = [
  {
    name: 'further-key-pays-for-itself',
    file: 'src/billing/ledger/account-queries.ts',
    find: 'coalesce(account_id, id)',
    replace: 'id',
    suite: OWNERS,
  },
  {
    name: 'old-secret-works-for-ever',
    file: 'src/billing/keys/known-keys.ts',
    find: 'if (row.hash !== hash && (row.old_until ?? 0) <= now) return null;',
    replace: '',
    suite: [...OWNERS, 'test/contract/known-keys.test.ts'],
  },
  {
    name: 'rotation-keeps-other-sessions',
    file: OWNER_PROCEDURES,
    find: ".where('id', '!=', session ?? '')",
    replace: ".where('id', '=', '')",
    suite: OWNERS,
  },
  {
    name: 'account-has-any-number-of-keys',
    file: OWNER_PROCEDURES,
    find: 'if (keys.length >= KEYS_PER_ACCOUNT_MAX) return null;',
    replace: '',
    suite: OWNERS,
  },
  {
    name: 'further-key-belongs-to-a-further-key',
    file: OWNER_PROCEDURES,
    find: 'kind, account_id: account.key_id, state',
    replace: 'kind, account_id: of, state',
    suite: OWNERS,
  },
  {
    name: 'owner-locks-himself-out',
    file: OWNER_PROCEDURES,
    find: 'id !== keyId && manages === 1',
    replace: 'manages === 1',
    suite: OWNERS,
  },
  {
    name: 'demoted-key-stays-signed-in',
    file: 'src/billing/keys/owner-sessions.ts',
    find: "      .where('manages', '=', 1)\n",
    replace: '',
    suite: OWNERS,
  },
  {
    name: 'cursor-outlives-its-key',
    file: 'src/http/mcp/tool-calls.ts',
    find: 'await identifyCaller({ headers, body: {}, address }, deps);',
    replace: '',
    suite: ENDED_KEYS,
  },
  {
    name: 'research-outlives-its-key',
    file: 'src/http/routes.ts',
    find: "callers: 'caller',\n      limit: LIMITS.ledger",
    replace: 'limit: LIMITS.ledger',
    suite: ENDED_KEYS,
  },
  {
    name: 'limited-key-lifts-its-limits',
    file: 'src/http/site/account/keys-pages.ts',
    find: 'if (!isBound) await keys.changeTerms',
    replace: 'await keys.changeTerms',
    suite: ACCOUNT_PAGES,
  },
  {
    name: 'limited-account-adds-keys',
    file: 'src/http/site/account/keys-pages.ts',
    find: 'if (await isBoundByOperator(deps, visit)) throw createBoundFailure();',
    replace: '',
    suite: ACCOUNT_PAGES,
  },
  {
    name: 'top-up-recovers-the-account',
    file: 'src/billing/payments/recovery.ts',
    find: "      .where('top_up_key', 'is', null)\n",
    replace: '',
    suite: OWNER_PAYMENTS,
  },
  {
    name: 'top-up-sets-what-the-owners-card-pays',
    file: 'src/billing/payments/auto-reload.ts',
    find: "changed.by === 'payer' && account.card_checkout !== changed.checkout",
    replace: "changed.by === 'payer' && account.card === null",
    suite: OWNER_PAYMENTS,
  },
  {
    name: 'recovery-tries-without-end',
    file: 'src/billing/payments/checkout-procedures.ts',
    find: ".where('recovery_tries', '<', most)",
    replace: '',
    suite: OWNER_PAYMENTS,
  },
  {
    name: 'recovery-code-works-again',
    file: 'src/billing/payments/checkout-procedures.ts',
    find: 'nonce_hash: args.nonceHash, sealed_key: null',
    replace: 'sealed_key: null',
    suite: OWNER_PAYMENTS,
  },
  {
    name: 'recovery-leaves-sessions',
    file: 'src/billing/payments/checkout-procedures.ts',
    find: "yield* readRows(db.deleteFrom('session').where('key_id', '=', first));",
    replace: '',
    suite: OWNER_PAYMENTS,
  },
  {
    name: 'removed-card-stays-at-the-provider',
    file: 'src/billing/payments/auto-reload.ts',
    find: 'await provider.removeCard(card);',
    replace: '',
    suite: OWNER_PAYMENTS,
  },
  {
    name: 'receipt-of-another-account',
    file: 'src/billing/payments/sales.ts',
    find: ".where('id', '=', saleId)\n          .where('key_id', '=', account)\n          .executeTakeFirst()) ??",
    replace: ".where('id', '=', saleId)\n          .executeTakeFirst()) ??",
    suite: OWNER_PAYMENTS,
  },
  {
    name: 'further-key-stays-active-while-frozen',
    file: 'src/billing/ledger/account-queries.ts',
    find: "is.or([is('id', '=', keyId), is('account_id', '=', keyId)])",
    replace: "is.or([is('id', '=', keyId)])",
    suite: OWNER_PAYMENTS,
  },
];
