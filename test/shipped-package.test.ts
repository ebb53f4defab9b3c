import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { faultsOfNames } from '../scripts/named-at-run-time.ts';
import { THREAD_MODULES } from '../src/platform/threads/thread-modules.ts';
import { filesReadOutside, isBelow, matches, ROOT, read, sources } from './fixtures/shipped-files.ts';

/** A production install, beside Node. */
const INSTALL_BYTES_MAX = 150_000_000;
const BLOCK_BYTES = 4_096;

/** Runs the command line within this process, then says how large the heaps of the main thread and of a thread may become. */
const HEAP_LIMITS = `
  import { writeSync } from 'node:fs';
  import { getHeapStatistics } from 'node:v8';
  import { Worker } from 'node:worker_threads';
  process.exit = () => {};
  process.stdout.write = process.stderr.write = () => true;
  await import('${pathToFileURL(join(ROOT, 'bin/sanderling.js'))}');
  const report = 'import { getHeapStatistics } from "node:v8"; import { parentPort } from "node:worker_threads";' +
    'parentPort.postMessage(getHeapStatistics().heap_size_limit)';
  const own = { maxOldGenerationSizeMb: 300, maxYoungGenerationSizeMb: 6 };
  const thread = new Worker(report, { eval: true, resourceLimits: own });
  thread.once('message', (bytes) => writeSync(1, JSON.stringify([getHeapStatistics().heap_size_limit, bytes])));
`;

describe('npm start', () => {
  test('bounds the heap of the main thread, and leaves every other thread its own bound', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const flags = matches(scripts.start, /(--[\w-]+=\d+)/g);
    const args = [...flags, '--input-type=module', '--eval', HEAP_LIMITS, '--', '--version'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    const [main, thread] = JSON.parse(stdout).map((bytes: number) => bytes / 1_048_576);
    // V8 adds the space for new objects.
    assert.ok(main > 1_500 && main < 1_700, `${main} MB`);
    assert.ok(thread >= 300 && thread <= 306, `${thread} MB`);
  });
});

describe('the package', () => {
  const { files, dependencies } = JSON.parse(read('package.json')) as {
    files: string[];
    dependencies: Record<string, string>;
  };

  test('lists files that exist', () => {
    // Made by npm pack.
    for (const path of files.filter((path) => path !== 'dist')) assert.ok(existsSync(join(ROOT, path)), path);
  });

  test('holds every file outside src/ that the sources read', () => {
    for (const path of filesReadOutside()) assert.ok(isBelow(path, files), `${path} is not packed`);
  });

  test('drives the browser with the library that its tests drive it with', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as {
      devDependencies: Record<string, string>;
    };
    const { packages } = JSON.parse(read('runtime/render/package-lock.json')) as {
      packages: Record<string, { version?: string; hasInstallScript?: true }>;
    };
    const { version } = packages['node_modules/puppeteer-core'] ?? {};
    assert.equal(version, devDependencies['puppeteer-core']);
    assert.deepEqual(
      Object.values(packages).filter(({ hasInstallScript }) => hasInstallScript),
      [],
    );
  });

  test('depends on what the sources import', () => {
    const imported = sources().flatMap((source) =>
      matches(read(source), /^(?:import|export|\}) ?[^'`\n]*\bfrom '((?:@[^/']+\/)?[^@./'][^/']*)/gm),
    );
    assert.ok(imported.includes('fastify'));
    const apart = ['render', 'telemetry'].map(
      (part) =>
        (JSON.parse(read(`runtime/${part}/package.json`)) as { dependencies: Record<string, string> })
          .dependencies,
    );
    for (const name of imported.filter((name) => !name.startsWith('node:')))
      assert.ok(
        name in dependencies || apart.some((part) => name in part),
        `${name} is no run-time dependency`,
      );
  });
});

test('run-time dependencies take at most 150 MB', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  const folders = Object.keys(packages).filter(
    (path) => path !== '' && !packages[path]?.dev && !packages[path]?.devOptional,
  );
  const bytes = folders.reduce((sum, folder) => sum + bytesOf(join(ROOT, folder)), 0);
  assert.ok(bytes > 1_000_000);
  assert.ok(bytes <= INSTALL_BYTES_MAX, `${(bytes / 1e6).toFixed(1)} MB`);
});

/** Bytes on disk, in blocks, of a package without those nested in it. */
function bytesOf(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory()
        ? bytesOf(path)
        : Math.ceil(lstatSync(path).size / BLOCK_BYTES) * BLOCK_BYTES;
    })
    .reduce((sum, bytes) => sum + bytes, 0);
}

describe('the build', () => {
  test('refuses a source that names a module by an address of its own', () => {
    const faultsOf = (code: string): string[] =>
      faultsOfNames('index/hosts/made-up.ts', code, join(ROOT, 'src'));
    for (const fault of [
      "createThread(new URL('./rank-thread.ts', import.meta.url));",
      "const open = (file: string) => createThread(new URL(file, import.meta.url)); open('./rank-thread.ts');",
      'const here = import.meta.url;',
      "defineProcedure(\n  import.meta.url,\n  'charge',",
      "readFileSync(new URL('./absent.json', import.meta.url), 'utf8');",
    ])
      assert.equal(faultsOf(fault).length, 1, `${fault}: ${faultsOf(fault)}`);
    for (const fine of [
      "import { rank } from './rank-thread.ts';",
      "} from './rank-thread.ts';",
      "const { rank } = await import('./rank-thread.ts');",
      "type Rank = typeof import('./rank-thread.ts');",
      "readFileSync(new URL('./signals.json', import.meta.url), 'utf8');",
      "createThread(resolveThreadModule('index/hosts/rank-thread'));",
    ])
      assert.deepEqual(faultsOf(fine), [], fine);
  });

  test('has a list of modules that exist, each of which a source names', () => {
    const code = sources().map(read).join('\n');
    for (const name of THREAD_MODULES) {
      assert.ok(existsSync(join(ROOT, 'src', `${name}.ts`)), name);
      assert.ok(code.includes(`resolveThreadModule('${name}')`), name);
    }
  });

  test('accepts the sources as they are', () => {
    for (const path of sources())
      assert.deepEqual(faultsOfNames(path.slice('src/'.length), read(path), join(ROOT, 'src')), []);
  });
});
