import { crawlMutants } from './crawl-mutants.ts';
import { fetchMutants } from './fetch-mutants.ts';
import { moneyMutants } from './money-mutants.ts';
import type { Mutant } from './mutant.ts';
import { serviceMutants } from './service-mutants.ts';
import { textMutants } from './text-mutants.ts';

/** The faults that the tests must notice, by the part of the program that they are in. */
export const MUTANTS: readonly Mutant[] = [
  ...moneyMutants,
  ...crawlMutants,
  ...fetchMutants,
  ...textMutants,
  ...serviceMutants,
];

/** The source with the fault in it. Throws when `find` does not stand there exactly once. */
export function mutated(source: string, { name, file, find, replace }: Mutant): string {
  const places = source.split(find).length - 1;
  if (places !== 1)
    throw new Error(`${name}: ${JSON.stringify(find)} stands ${places} times in ${file}, not once`);
  // Not a pattern: the replacement may hold a dollar sign.
  return source.replace(find, () => replace);
}
