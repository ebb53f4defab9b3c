import { auditMutants } from './audit-mutants.ts';
import { chargeMutants } from './charge-mutants.ts';
import { crawlMutants } from './crawl-mutants.ts';
import { fetchMutants } from './fetch-mutants.ts';
import { jobMutants } from './job-mutants.ts';
import { moneyMutants } from './money-mutants.ts';
import type { Mutant } from './mutant.ts';
import { ownerMutants } from './owner-mutants.ts';
import { serviceMutants } from './service-mutants.ts';
import { textMutants } from './text-mutants.ts';

/** The faults that the tests must notice, grouped by the part of the program they are in. */
export const MUTANTS: readonly Mutant[] = [
  ...moneyMutants,
  ...chargeMutants,
  ...ownerMutants,
  ...crawlMutants,
  ...jobMutants,
  ...fetchMutants,
  ...textMutants,
  ...serviceMutants,
  ...auditMutants,
];

/** Returns the source with the fault in it. Throws unless `find` occurs in it exactly once. */
export function mutated(source: string, { name, file, find, replace }: Mutant): string {
  const count = source.split(find).length - 1;
  if (count !== 1)
    throw new Error(`${name}: ${JSON.stringify(find)} occurs ${count} times in ${file}, not once`);
  // A function, because dollar signs in a replacement string have a special meaning.
  return source.replace(find, () => replace);
}
