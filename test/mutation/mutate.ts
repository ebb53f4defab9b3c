// npm run mutate [-- --list] [-- NAME ...]: puts one fault at a time into a copy of the tree and runs the suite that must notice it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
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

const ROOT = join(import.meta.dirname, '../..');
const AT_ONCE = 2;
/** A suite that takes longer with a fault in the program has noticed it. */
const SUITE_MS_MAX = 120_000;
/** Of all mutants; the command fails when more live. */
const SURVIVORS_MAX = 3;

type Run = { passed: boolean; seconds: number };

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (values.list) for (const { name, suite } of MUTANTS) console.log(`${name}: ${suite.join(' ')}`);
else process.exitCode = await mutate(selected(positionals));

function selected(names: string[]): Mutant[] {
  const unknown = names.filter((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new Error(`no mutant is called ${unknown.join(', ')}; see --list`);
  return MUTANTS.filter(({ name }) => names.length === 0 || names.includes(name));
}

/** Prints a line for each mutant. Returns the exit code. */
async function mutate(mutants: Mutant[]): Promise<number> {
  // Before anything runs: a mutant that no longer fits its file is a fault of the table.
  for (const mutant of mutants) mutated(readFileSync(join(ROOT, mutant.file), 'utf8'), mutant);
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-mutants-'));
  try {
    const trees = Array.from({ length: AT_ONCE }, (_, place) => copyTree(join(folder, String(place))));
    await failWhereBroken(trees, mutants);
    const survivors: string[] = [];
    await inEachTree(trees, mutants, async (tree, mutant) => {
      const { passed, seconds } = await withMutant(tree, mutant);
      if (passed) survivors.push(mutant.name);
      const verdict = passed ? 'SURVIVED' : 'killed  ';
      console.log(
        `${verdict} ${seconds.toFixed(1).padStart(6)} s  ${mutant.name}  (${mutant.suite.join(' ')})`,
      );
    });
    console.log(`${mutants.length - survivors.length} of ${mutants.length} killed`);
    if (survivors.length > 0) console.log(`survived: ${survivors.join(', ')}`);
    return survivors.length > SURVIVORS_MAX ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A copy of the tracked files as they are now, with the installed packages. */
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
    if (!(await runSuite(tree, [file])).passed) broken.push(file);
  });
  if (broken.length > 0) throw new Error(`these suites fail without a mutant: ${broken.join(' ')}`);
}

async function withMutant(tree: string, mutant: Mutant): Promise<Run> {
  const path = join(tree, mutant.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, mutated(source, mutant));
  try {
    return await runSuite(tree, mutant.suite);
  } finally {
    writeFileSync(path, source);
  }
}

async function runSuite(tree: string, suite: string[]): Promise<Run> {
  const begun = performance.now();
  // Run within a test of its own runner, Node would skip the files.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--test', '--test-force-exit', ...suite], {
    ...{ cwd: tree, env, stdio: 'ignore' },
    // A group of its own, so that processes which the tests have started end with it.
    detached: true,
  });
  const { pid = 0 } = child;
  const timer = setTimeout(() => process.kill(-pid, 'SIGKILL'), SUITE_MS_MAX);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  return { passed: code === 0, seconds: (performance.now() - begun) / 1_000 };
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
