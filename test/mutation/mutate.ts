// npm run mutate [-- --list] [-- NAME ...]: puts one fault at a time into a copy of the tree and runs the suite that must notice it.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Mutant } from './mutant.ts';
import { MUTANTS, mutated } from './mutants.ts';
import { countKills, describeOutcome, type Outcome } from './outcome.ts';
import { killSuites, runSuite } from './run-suite.ts';

const ROOT = join(import.meta.dirname, '../..');
const AT_ONCE = 2;
/** A suite that exceeds one of these has noticed the fault. */
const BOUNDS = { ms: 120_000, msAfterFailure: 5_000, bytes: 2 * 1024 ** 3 };
/** The command fails when more mutants survive. */
const SURVIVORS_MAX = 3;
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (values.list) for (const { name, suite } of MUTANTS) console.log(`${name}: ${suite.join(' ')}`);
else process.exitCode = await mutate(selected(positionals));

function selected(names: string[]): Mutant[] {
  const unknown = names.filter((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new Error(`there is no mutant ${unknown.join(', ')}; see --list`);
  return MUTANTS.filter(({ name }) => names.length === 0 || names.includes(name));
}

/** Prints a line for each mutant. Returns the exit code. */
async function mutate(mutants: Mutant[]): Promise<number> {
  // Fails before anything runs when a mutant no longer fits its file.
  for (const mutant of mutants) mutated(readFileSync(join(ROOT, mutant.file), 'utf8'), mutant);
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-mutants-'));
  cleanUpOnExit(folder);
  const trees = Array.from({ length: AT_ONCE }, (_, index) => copyTree(join(folder, String(index))));
  await failWhereBroken(trees, mutants);
  const outcomes = new Map<string, Outcome>();
  await inEachTree(trees, mutants, async (tree, mutant) => {
    const begun = performance.now();
    const outcome = await withMutant(tree, mutant);
    outcomes.set(mutant.name, outcome);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    console.log(`${mutant.name} (${seconds} s): ${describeOutcome(outcome)}`);
  });
  return summarize(outcomes);
}

/** Prints the totals. Returns the exit code. */
function summarize(outcomes: Map<string, Outcome>): number {
  const survivors = [...outcomes].filter(([, { kind }]) => kind === 'passed').map(([name]) => name);
  const killed = outcomes.size - survivors.length;
  console.log(`${killed} of ${outcomes.size} killed: ${countKills([...outcomes.values()])}`);
  if (survivors.length > 0) console.log(`survived: ${survivors.join(', ')}`);
  return survivors.length > SURVIVORS_MAX ? 1 : 0;
}

/** Ends the suites and removes the copies when this process ends, also by a signal. */
function cleanUpOnExit(folder: string): void {
  process.once('exit', () => {
    killSuites();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const [signal, code] of Object.entries(SIGNAL_EXIT_CODES))
    process.once(signal, () => process.exit(code));
}

/** Copies the tracked files in their present state and links the installed packages. Returns the copy's folder. */
function copyTree(to: string): string {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of tracked.split('\0')) {
    if (file === '' || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(to, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'));
  return to;
}

/** Throws when a suite fails without a fault in the program. */
async function failWhereBroken(trees: string[], mutants: Mutant[]): Promise<void> {
  const files = [...new Set(mutants.flatMap(({ suite }) => suite))];
  const broken: string[] = [];
  await inEachTree(trees, files, async (tree, file) => {
    const outcome = await runIn(tree, [file]);
    if (outcome.kind !== 'passed') broken.push(`${file} (${describeOutcome(outcome)})`);
  });
  if (broken.length > 0) throw new Error(`these suites fail without a mutant: ${broken.join(', ')}`);
}

async function withMutant(tree: string, mutant: Mutant): Promise<Outcome> {
  const path = join(tree, mutant.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, mutated(source, mutant));
  try {
    return await runIn(tree, mutant.suite);
  } finally {
    writeFileSync(path, source);
  }
}

/** Runs test files with a folder for temporary files that goes with the tree, since a killed suite leaves its own behind. */
function runIn(tree: string, files: string[]): Promise<Outcome> {
  const temporary = `${tree}-tmp`;
  mkdirSync(temporary, { recursive: true });
  return runSuite(files, { folder: tree, env: { ...process.env, TMPDIR: temporary }, bounds: BOUNDS });
}

/** Does the work for each item, one at a time in each tree. */
async function inEachTree<Item>(
  trees: string[],
  items: Item[],
  work: (tree: string, item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    trees.map(async (tree) => {
      for (const item of waiting) await work(tree, item);
    }),
  );
}
