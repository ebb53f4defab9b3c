// npm run check:registries: adds the projects of test/fixtures/projects from the real registries and prints, for each ecosystem, the time,
// the pages, the bytes and the share of libraries with guide text. Tests never do this. Names of projects choose some; --keep <folder> keeps
// the data.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PROJECTS = resolve('test/fixtures/projects');
/** The public registries; a network may serve them from an address of its own. */
const HOSTS = [
  ...['registry.npmjs.org', 'pypi.org', 'files.pythonhosted.org', 'index.crates.io', 'static.crates.io'],
  ...['proxy.golang.org', 'repo.maven.apache.org'],
];

const keepAt = process.argv.indexOf('--keep');
const folder =
  keepAt === -1 ? mkdtempSync(join(tmpdir(), 'sanderling-registries-')) : process.argv[keepAt + 1];
const chosen = process.argv.slice(2).filter((name) => readdirSync(PROJECTS).includes(name));
const names = chosen.length > 0 ? chosen : readdirSync(PROJECTS);

try {
  const rows = names.map(addProject);
  console.table(rows);
  printFailures();
  const again = run('sync');
  console.log(`A second sync without changes: ${again.seconds.toFixed(1)} s`);
} finally {
  if (keepAt === -1) rmSync(folder, { recursive: true, force: true });
}

function addProject(name) {
  const project = join(PROJECTS, name);
  const { seconds } = run('add', project, ...HOSTS.flatMap((host) => ['--trust-host', host]));
  const own = listHeld().filter(({ projects }) => projects.includes(project));
  const guides = ({ kinds }) => (kinds.guide ?? 0) + (kinds.reference ?? 0);
  const count = (wanted) => `${own.filter(wanted).length}/${own.length}`;
  const sum = (field) => own.reduce((total, library) => total + library[field], 0);
  return {
    project: name,
    libraries: own.length,
    failed: own.filter(({ state }) => state !== 'held').length,
    minutes: (seconds / 60).toFixed(2),
    pages: sum('pages'),
    'text MB': (sum('characters') / 1e6).toFixed(1),
    'download MB': (sum('downloadedBytes') / 1e6).toFixed(1),
    'guide text': count((library) => guides(library) > 0),
    'more than a README': count((library) => guides(library) > 1),
    api: count(({ kinds }) => kinds.api > 0),
  };
}

function listHeld() {
  return JSON.parse(run('list', '--json').out);
}

function printFailures() {
  for (const { ecosystem, name, version, problem } of listHeld())
    if (problem !== null) console.log(`${ecosystem}:${name}@${version}: ${problem}`);
}

/** Runs `sanderling docs`; a failed library is no failure of this check, which reports it. */
function run(...args) {
  const started = performance.now();
  const env = { ...process.env, DATA_DIR: folder, RECALL: 'index' };
  const { stdout, stderr } = spawnSync(process.execPath, ['src/cli.ts', 'docs', ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (args[0] === 'add') process.stdout.write(stdout + stderr);
  return { out: stdout, seconds: (performance.now() - started) / 1_000 };
}
