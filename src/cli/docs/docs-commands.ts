import { existsSync, realpathSync } from 'node:fs';
import { styleText } from 'node:util';
import { composeLibraries, type LibrarySources } from '../../app/compose-libraries.ts';
import { createServices } from '../../app/compose-services.ts';
import type { Config } from '../../app/config.ts';
import { createReferenceMaker } from '../../libraries/api/reference-maker.ts';
import { formatKey } from '../../libraries/held/library-rows.ts';
import type {
  HeldLibrary,
  Libraries,
  LibrariesSummary,
  LibraryOutcome,
  LibraryRunOptions,
} from '../../libraries/libraries.ts';
import { systemClock } from '../../platform/clock.ts';
import { withKey } from '../keys/key-command.ts';
import { createProgressLine, formatCount } from '../progress-line.ts';
import { watchInterruption } from '../until-interrupted.ts';

/** `api` is false with `--no-api`. */
export type SourceOptions = { registry: string[]; trustHost: string[]; api?: boolean; offline?: boolean };
export type AddOptions = SourceOptions & {
  all?: boolean;
  dev?: boolean;
  only?: string[];
  skip?: string[];
  /** Keys, or their ids. */
  for: string[];
};

type Setting = { config: Config; env: LibrarySources['env'] };

const NO_SOURCES: SourceOptions = { registry: [], trustHost: [] };
const OFFLINE: SourceOptions = { registry: [], trustHost: [], offline: true };
const NOTES_SHOWN = 5;
const PAGES_SHOWN = 200;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** `sanderling docs add`: resolves to the exit code, 1 if a library failed. */
export async function addDocs(setting: Setting, what: string[], options: AddOptions): Promise<number> {
  const { all = false, dev = false, only = [], skip = [] } = options;
  const keyIds: string[] = [];
  for (const idOrKey of options.for) {
    const code = await withKey(setting.config, idOrKey, async ({ id }) => {
      keyIds.push(id);
      return 0;
    });
    if (code !== 0) return code;
  }
  return runDocs(setting, options, (libraries, run) =>
    libraries.add(what, { all, dev, only, skip, keyIds }, run),
  );
}

/** `sanderling docs sync`. */
export function syncDocs(setting: Setting, projects: string[], options: SourceOptions): Promise<number> {
  return runDocs(setting, options, (libraries, run) => libraries.sync(projects, run));
}

/** `sanderling docs update`. */
export function updateDocs(setting: Setting, names: string[], options: SourceOptions): Promise<number> {
  return runDocs(setting, options, (libraries, run) => libraries.update(names, run));
}

/** `sanderling docs remove`; the folder of a project may be written in any way. */
export function removeDocs(setting: Setting, names: string[], options: SourceOptions): Promise<number> {
  const plain = names.map((name) => (existsSync(name) ? realpathSync(name) : name));
  return runDocs(setting, options, (libraries, run) => libraries.remove(plain, run));
}

/** `sanderling docs export`: 1 if nothing is held. */
export function exportDocs(setting: Setting, path: string, names: string[]): Promise<number> {
  return withLibraries(setting, NO_SOURCES, async (libraries) => {
    const counts = await libraries.exportTo(path, names);
    print(`${describeCounts(counts)} in ${path}. Add them elsewhere: sanderling docs import ${path}`);
    return counts.libraries > 0 ? 0 : 1;
  });
}

/** `sanderling docs import`. */
export function importDocs(setting: Setting, path: string): Promise<number> {
  return withLibraries(setting, OFFLINE, async (libraries) => {
    const interruption = watchInterruption();
    const line = createProgressLine(process.stderr, systemClock);
    try {
      const counts = await libraries.importFrom(path, {
        signal: interruption.signal,
        onEvent: ({ library, done, total, pages }) =>
          line.show({ done, total, unit: 'package', facts: [formatCount(pages, 'page')], detail: library }),
      });
      line.stop();
      print(`${describeCounts(counts)} added.`);
      return 0;
    } finally {
      line.stop();
      interruption.stop();
    }
  });
}

const describeCounts = ({ libraries, pages }: { libraries: number; pages: number }): string =>
  `${formatCount(libraries, 'library', 'libraries')} with ${formatCount(pages, 'page')}`;

type Work = (libraries: Libraries, run: LibraryRunOptions) => Promise<LibrariesSummary>;

async function runDocs(setting: Setting, sources: SourceOptions, work: Work): Promise<number> {
  return withLibraries(setting, sources, async (libraries) => {
    const interruption = watchInterruption();
    const line = createProgressLine(process.stderr, systemClock);
    const startedAt = systemClock.now();
    try {
      const summary = await work(libraries, {
        signal: interruption.signal,
        onEvent({ library, done, total, pages }) {
          const facts = pages === 0 ? [] : [formatCount(pages, 'page')];
          line.show({ done, total, unit: 'package', facts, detail: library });
        },
      });
      line.stop();
      printSummary(summary, systemClock.now() - startedAt);
      return summary.problems.length + countFailed(summary) > 0 ? 1 : 0;
    } catch (error) {
      if (!interruption.signal.aborted) throw error;
      line.stop();
      print('Interrupted. Run sanderling docs sync, or the same command, to continue.');
      return 1;
    } finally {
      line.stop();
      interruption.stop();
    }
  });
}

async function withLibraries(
  { config, env }: Setting,
  { registry, trustHost, api = true, offline = false }: SourceOptions,
  work: (libraries: Libraries) => Promise<number>,
): Promise<number> {
  const services = await createServices(config);
  const sources = {
    env,
    folder: process.cwd(),
    registries: registry,
    trustedHosts: trustHost,
    makeReference: api && !offline ? createReferenceMaker() : null,
    isOffline: offline,
  };
  try {
    const libraries = composeLibraries(services, sources);
    try {
      return await work(libraries);
    } finally {
      await libraries.close();
    }
  } finally {
    await services.close();
  }
}

const countFailed = ({ outcomes }: LibrariesSummary): number =>
  outcomes.filter(({ problem }) => problem !== null).length;

function printSummary(summary: LibrariesSummary, ms: number): void {
  const { outcomes, removed, unchanged, problems } = summary;
  for (const outcome of outcomes.toSorted((one, other) => (formatKey(one) < formatKey(other) ? -1 : 1)))
    print(formatOutcome(outcome));
  for (const library of removed) print(`${formatKey(library)}: removed`);
  for (const problem of problems) print(styleText('red', problem));
  const fetched = outcomes.flatMap((outcome) => outcome.fetched ?? []);
  const pages = fetched.reduce((sum, one) => sum + one.pages, 0);
  const bytes = fetched.reduce((sum, one) => sum + one.bytes, 0);
  const facts = [
    `${formatCount(fetched.length, 'library', 'libraries')} fetched`,
    formatCount(pages, 'page'),
    `${(bytes / 1e6).toFixed(1)} MB downloaded`,
    `${countFailed(summary)} failed`,
    `${unchanged} unchanged`,
    `${(ms / 1_000).toFixed(1)} s`,
  ];
  print(facts.join(', '));
}

function formatOutcome(outcome: LibraryOutcome): string {
  const { fetched, problem } = outcome;
  const name = styleText('bold', formatKey(outcome));
  if (fetched === null) return `${name}: ${styleText('red', problem ?? 'failed')}`;
  const { pages, sources, licence, took_ms: ms } = fetched;
  const from = Object.entries(sources).map(([source, count]) => `${count} from ${source}`);
  const facts = [
    formatCount(pages, 'page'),
    ...from,
    licence ?? 'no licence stated',
    `${(ms / 1_000).toFixed(1)} s`,
  ];
  return `${name}: ${facts.join(', ')}`;
}

/** `sanderling docs list`. */
export function listDocs(setting: Setting, { json = false }: { json?: boolean }): Promise<number> {
  return withLibraries(setting, NO_SOURCES, async (libraries) => {
    const held = await libraries.list();
    if (json) print(JSON.stringify(held.map(describeHeld), null, 2));
    else for (const one of held) print(formatHeld(one));
    if (!json && held.length === 0)
      print('No library is held. Add those of a project: sanderling docs add .');
    return 0;
  });
}

function describeHeld(held: HeldLibrary) {
  const {
    ecosystem,
    name,
    version,
    state,
    licence,
    homepage,
    repository,
    pages,
    chars,
    bytes,
    problem,
    projects,
  } = held;
  const { fetched_at: fetchedAt, took_ms: ms, is_private: isPrivate, notes, keyIds, evicted } = held;
  return {
    ecosystem,
    name,
    version,
    state,
    licence,
    homepage,
    repository,
    private: isPrivate === 1,
    keys: keyIds,
    evictedPages: evicted,
    pages,
    kinds: held.kinds,
    characters: chars,
    downloadedBytes: bytes,
    fetchedAt: fetchedAt === null ? null : new Date(fetchedAt).toISOString(),
    seconds: ms / 1_000,
    problem,
    // Written by `saveFetched`.
    notes: JSON.parse(notes) as string[],
    projects,
  };
}

function formatHeld(held: HeldLibrary): string {
  const { state, pages, problem, projects, spec, licence, keyIds } = held;
  const users = [...(spec === null ? [] : ['by name']), ...projects];
  const lost = held.evicted === 0 ? [] : [styleText('red', describeEvicted(held))];
  const readers = held.is_private === 1 ? [['private', ...keyIds].join(' ')] : [];
  const facts =
    state === 'held' ? [formatCount(pages, 'page'), licence ?? 'no licence stated'] : [problem ?? state];
  return `${styleText('bold', formatKey(held))}: ${[...facts, ...lost, ...readers, ...users].join(', ')}`;
}

const describeEvicted = ({ evicted, name }: HeldLibrary): string =>
  `${evicted} evicted from the full index: raise INDEX_BYTES_MAX, then run sanderling docs update ${name}`;

/** `sanderling docs show`: 1 if no such library is held. */
export function showDocs(
  setting: Setting,
  name: string,
  { json = false }: { json?: boolean },
): Promise<number> {
  return withLibraries(setting, NO_SOURCES, async (libraries) => {
    const found = await libraries.show(name);
    if (json) {
      const shown = found.map(({ library, pages }) => ({ ...describeHeld(library), documents: pages }));
      print(JSON.stringify(shown, null, 2));
    } else for (const { library, pages } of found) printLibrary(library, pages);
    if (found.length > 0) return 0;
    process.stderr.write(`${name}: no such library is held; sanderling docs list shows them all\n`);
    return 1;
  });
}

function printLibrary(
  library: HeldLibrary,
  pages: Awaited<ReturnType<Libraries['show']>>[number]['pages'],
): void {
  const { licence, homepage, repository, downloadedBytes, fetchedAt, notes, problem, projects } =
    describeHeld(library);
  print(formatHeld(library));
  for (const [label, value] of Object.entries({ licence, homepage, repository, fetched: fetchedAt, problem }))
    if (value !== null) print(`  ${label}: ${value}`);
  print(`  downloaded: ${(downloadedBytes / 1e6).toFixed(1)} MB`);
  if (projects.length > 0) print(`  used by: ${projects.join(', ')}`);
  for (const [kind, own] of Map.groupBy(pages, (page) => page.kind))
    print(`  ${kind}: ${formatCount(own.length, 'page')}`);
  for (const note of notes.slice(0, NOTES_SHOWN)) print(`  note: ${note}`);
  for (const { kind, source, title, url } of pages.slice(0, PAGES_SHOWN))
    print(`  ${kind}\t${source}\t${title}\t${url}`);
}
