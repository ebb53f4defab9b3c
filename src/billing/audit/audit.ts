import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { balances } from './balances.ts';
import { chain } from './chain.ts';
import type { Broken, Check } from './check.ts';
import { credits } from './credits.ts';
import { holds } from './holds.ts';
import { payments } from './payments.ts';
import { usageDays } from './usage-days.ts';

/** What the books promise; `audit` finds where they do not keep it. */
export const INVARIANTS = {
  I1: "a key's entries are numbered without gaps and add up to its balance",
  I2: 'what is held is the sum of the open holds',
  I3: 'nothing is negative',
  I4: 'each hold ended once, with the entries that this takes',
  I5: 'credits come in by grants and sales alone, each once',
  I6: 'a key has one open purchase at most',
  I7: 'the spending of a month is the sum of its purchases',
  I8: 'auto-reload that failed is off',
  I9: 'a hold that was given back has no entry',
  days: 'the usage of a day is the sum of its entries',
} as const;

export type Invariant = keyof typeof INVARIANTS;

/** One place where the books are wrong; `keyId` is null where it concerns no key, or more than can be named. */
export type Finding = { invariant: Invariant; keyId: string | null; text: string };

/** Findings in the order of the invariants; none where the books are right. */
type Audit = () => Promise<Finding[]>;

/** Findings that are told one by one, for each invariant; one more then says how many there are. */
export const FINDINGS_MAX = 20;

const CHECKS: readonly (Check & { invariant: Invariant })[] = [
  ...of('I1', chain),
  ...of('I2', balances.held),
  ...of('I3', balances.negative),
  ...of('I4', holds.ended),
  ...of('I5', credits),
  ...of('I5', payments.sold),
  ...of('I6', payments.open),
  ...of('I7', payments.spent),
  ...of('I8', payments.failures),
  ...of('I9', holds.givenBack),
  ...of('days', usageDays),
];

/** Reads the whole store in one state, so that it may run while others charge. */
export function createAudit({
  ledgerStore,
}: {
  ledgerStore: Pick<LedgerStore, 'dialect' | 'snapshot'>;
}): Audit {
  return () =>
    ledgerStore.snapshot(async (db) => {
      const found = new Map<Invariant, Broken[]>();
      for (const { invariant, find } of CHECKS) {
        const broken = await find({ db, dialect: ledgerStore.dialect }, FINDINGS_MAX);
        found.set(invariant, [...(found.get(invariant) ?? []), broken]);
      }
      return [...found].flatMap(([invariant, broken]) => findingsOf(invariant, broken));
    });
}

function findingsOf(invariant: Invariant, broken: Broken[]): Finding[] {
  const told = broken.flatMap(({ places }) => places).slice(0, FINDINGS_MAX);
  const untold = broken.reduce((sum, { count }) => sum + count, 0) - told.length;
  const findings = told.map((place) => ({ invariant, ...place }));
  if (untold > 0) findings.push({ invariant, keyId: null, text: `and ${untold} more` });
  return findings;
}

function of(invariant: Invariant, checks: readonly Check[]): (Check & { invariant: Invariant })[] {
  return checks.map((check) => ({ invariant, ...check }));
}
