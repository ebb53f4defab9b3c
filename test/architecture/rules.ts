import { isBuiltin } from 'node:module';
import { basename, dirname } from 'node:path';
import { type Import, linesOf, type SourceFile, type SourceTree } from './source-tree.ts';

/** A violation as `<place>: <what is wrong>`; exceptions name only the place. */
export type Violation = string;

export const BLOB_BYTES_MAX = 256 * 1024;
export const SMALL_FILE_LINES = 30;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g;
/** Names of files of the tests, benches, evaluations and scripts are not checked. */
const FILE_NAME = /(?<![\w./:-])(?!(?:bench|eval|scripts|test)\/)[\w./-]*[\w-]\.ts\b/g;

/** The first folder of a path below `src/`; an entry point is its own. */
export const folderOf = (path: string): string => path.split('/')[0] ?? path;

const sources = (tree: SourceTree): SourceFile[] => tree.files.filter(({ isTest }) => !isTest);
const local = (file: SourceFile): (Import & { path: string })[] =>
  file.imports.filter((used): used is Import & { path: string } => used.path !== null);

/** Reads the folders that each folder may import from a document's lines `a -> b, c`. */
export function readArrows(document: string): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const [, from = '', to = ''] of document.matchAll(/^([\w.]+) +-> +([\w., ]+|\(nothing\))$/gm)) {
    const targets = to === '(nothing)' ? [] : to.split(',').map((name) => name.trim());
    arrows.set(from, new Set([from, ...targets]));
  }
  return arrows;
}

/** Imports follow the arrows, including type imports. */
export function importsAgainstArrows(tree: SourceTree, arrows: Map<string, Set<string>>): Violation[] {
  return sources(tree).flatMap((file) => {
    const allowed = arrows.get(folderOf(file.path));
    if (allowed === undefined) return [`${file.path}: its folder has no arrows`];
    return local(file)
      .filter(({ path }) => !allowed.has(folderOf(path)))
      .map(({ path }) => `${file.path}: imports ${path}`);
  });
}

/** No file imports itself indirectly, including by type imports. */
export function importCycles(tree: SourceTree): Violation[] {
  const edges = new Map(sources(tree).map((file) => [file.path, local(file).map(({ path }) => path)]));
  return cyclesOf(edges).map((cycle) => `${cycle[0]}: imports itself through ${cycle.slice(1).join(', ')}`);
}

/** Among the folders of one parent, none imports itself indirectly through the files in and below it. */
export function folderCycles(tree: SourceTree): Violation[] {
  const edgesBelow = new Map<string, Map<string, string[]>>();
  for (const file of sources(tree)) {
    for (const { path } of local(file)) {
      const [parent, from, to] = siblingsOf(dirname(file.path), dirname(path)) ?? [];
      if (parent === undefined || from === undefined || to === undefined) continue;
      const edges = edgesBelow.get(parent) ?? new Map<string, string[]>();
      edges.set(from, [...(edges.get(from) ?? []), to]);
      edgesBelow.set(parent, edges);
    }
  }
  return [...edgesBelow.values()]
    .flatMap((edges) => cyclesOf(edges))
    .map((cycle) => `${cycle[0]}/: imports itself through ${cycle.slice(1).join(', ')}`);
}

/** The common parent of two folders, and its children that lead to each. Null where one folder contains the other. */
function siblingsOf(one: string, other: string): [string, string, string] | null {
  const [a, b] = [one.split('/'), other.split('/')];
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared++;
  if (shared === a.length || shared === b.length) return null;
  return [a.slice(0, shared).join('/'), a.slice(0, shared + 1).join('/'), b.slice(0, shared + 1).join('/')];
}

/** The strongly connected components of more than one node (Tarjan 1972), each sorted. */
function cyclesOf(edges: Map<string, string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node) ?? 0);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) found.push(component.sort());
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** Modules of Node without effects. */
const WITHOUT_EFFECTS = /^node:(?:assert|assert\/strict|url|util)$/;
/** Globals that read the clock, randomness, network or environment, or that act outside the function. */
const EFFECT = new RegExp(
  [
    String.raw`\bDate\.now\b`,
    String.raw`\bnew Date(?:\(\)|(?=[;,)]))`,
    String.raw`(?<![.\w]|new )Date\(`,
    String.raw`\bMath\.random\b`,
    String.raw`(?<![.\w])(?:performance|process|crypto|console|globalThis|navigator|Atomics)\.`,
    String.raw`\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b`,
    String.raw`(?<![.\w])(?:fetch|require|eval)\(`,
    String.raw`\bnew (?:Worker|WebSocket|EventSource|BroadcastChannel|MessageChannel)\b`,
    String.raw`\bAbortSignal\.timeout\b`,
    // Without a language these take that of the environment.
    String.raw`\bIntl\.\w+\((?:\)|undefined)`,
    String.raw`\.(?:toLocale\w+\(\)|localeCompare\([^,()]*\))`,
  ].join('|'),
);

/** Files of the pure folders import pure files, packages without effects and types only, and read no clock, randomness or environment. */
export function impurities(
  tree: SourceTree,
  { pureFolders, pureBeside }: { pureFolders: readonly string[]; pureBeside: readonly string[] },
): Violation[] {
  const isPure = (path: string): boolean =>
    pureFolders.some((folder) => path.startsWith(`${folder}/`)) || pureBeside.includes(path);
  return sources(tree)
    .filter(({ path }) => isPure(path))
    .flatMap((file) => {
      const impure = file.imports
        .filter((used) => !used.typeOnly && !isAllowed(used))
        .map(({ specifier }) => `${file.path}: imports ${specifier}`);
      const [effect] = EFFECT.exec(file.text) ?? [];
      return effect === undefined ? impure : [...impure, `${file.path}: uses ${effect}`];
    });
  function isAllowed(used: Import): boolean {
    if (used.path !== null) return isPure(used.path);
    return !isBuiltin(used.specifier) || WITHOUT_EFFECTS.test(used.specifier);
  }
}

/** A package that may only be imported, or a text that may only occur, in certain places. */
export type Confined = { what: RegExp; places: RegExp; by: 'import' | 'text' };

export function escapes(tree: SourceTree, confined: readonly Confined[]): Violation[] {
  return sources(tree).flatMap((file) =>
    confined.flatMap(({ what, places, by }) => {
      if (places.test(file.path)) return [];
      const found =
        by === 'text'
          ? what.test(file.text)
          : file.imports.some(({ specifier, typeOnly }) => !typeOnly && what.test(specifier));
      return found ? [`${file.path}: uses ${what.source}`] : [];
    }),
  );
}

/** The first two parts of a path. */
const sliceOf = (path: string): string => path.split('/').slice(0, 2).join('/');

/** Only one folder queries a table. The declarations in `platform/store` do not count. */
export function sharedTables(tree: SourceTree): Violation[] {
  const owners = new Map<string, Set<string>>();
  for (const file of sources(tree).filter(({ path }) => !path.startsWith('platform/store/'))) {
    for (const [, table = ''] of file.text.matchAll(
      /\.(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto)\('(\w+)/g,
    ))
      owners.set(table, (owners.get(table) ?? new Set()).add(folderOf(file.path)));
  }
  return [...owners]
    .filter(([, folders]) => folders.size > 1)
    .map(([table, folders]) => `${table}: is queried by ${[...folders].sort().join(' and ')}`);
}

/** The ledger store's thread finds procedures by name among a file's exports. */
const isProcedure = (file: SourceFile, name: string): boolean =>
  file.text.includes(`export const ${name} = defineProcedure(`);

/** Another file of `src/`, a test, a bench or an evaluation imports each exported name. */
export function deadExports(tree: SourceTree): Violation[] {
  const used = new Map<string, Set<string>>();
  for (const [path, names] of tree.usedOutside) used.set(path, new Set(names));
  for (const file of tree.files) {
    for (const { path, names } of local(file)) {
      const known = used.get(path) ?? new Set();
      for (const name of names) known.add(name);
      used.set(path, known);
    }
  }
  return sources(tree).flatMap((file) => {
    const names = used.get(file.path);
    if (names?.has('*')) return [];
    return file.exports
      .filter(({ name }) => !names?.has(name) && !isProcedure(file, name))
      .map(({ name }) => `${file.path}: ${name} is not imported anywhere`);
  });
}

/** An exported type name is declared once in `src/`. */
export function typeNamesTwice(tree: SourceTree): Violation[] {
  const places = new Map<string, string[]>();
  for (const file of sources(tree)) {
    for (const { name } of file.exports.filter(({ isType }) => isType))
      places.set(name, [...(places.get(name) ?? []), file.path]);
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}: is exported by ${paths.sort().join(' and ')}`);
}

export function blobs(tree: SourceTree): Violation[] {
  return [...tree.sizes]
    .filter(([path, bytes]) => bytes > BLOB_BYTES_MAX && !path.startsWith('models/'))
    .map(([path, bytes]) => `${path}: has ${bytes} bytes and is outside models/`);
}

/** A file under 30 lines has more than one importer. What a thread loads is a file by need. */
export function crumbs(tree: SourceTree): Violation[] {
  const importers = new Map<string, number>();
  for (const file of sources(tree)) {
    const imported = local(file).filter(({ path, specifier }) => path !== `${specifier}.ts`);
    for (const path of new Set(imported.map((used) => used.path)))
      importers.set(path, (importers.get(path) ?? 0) + 1);
  }
  return sources(tree)
    .filter(({ text, path }) => linesOf(text) < SMALL_FILE_LINES && importers.get(path) === 1)
    .map(({ path }) => `${path}: is under ${SMALL_FILE_LINES} lines and has one importer`);
}

/** A comment names no file of this project that does not exist. */
export function missingFiles(tree: SourceTree): Violation[] {
  const names = new Set(tree.files.map(({ path }) => basename(path)));
  return sources(tree).flatMap(({ path, text }) =>
    [...text.matchAll(COMMENT)]
      .flatMap(([comment]) => [...comment.matchAll(FILE_NAME)])
      .filter(([name]) => !names.has(basename(name)))
      .map(([name]) => `${path}: a comment names ${name}, which does not exist`),
  );
}

/** The document's tree names every folder of the first two levels, and only existing folders. */
export function treeOutOfDate(tree: SourceTree, document: string): Violation[] {
  const actual = new Set(sources(tree).map(({ path }) => sliceOf(dirname(path))));
  const drawn = new Set(foldersDrawn(document));
  return [
    ...[...actual]
      .filter((folder) => folder !== '.' && !drawn.has(folder))
      .map((folder) => `${folder}/: is not in the tree`),
    ...[...drawn]
      .filter((folder) => ![...actual].some((path) => path === folder || path.startsWith(`${folder}/`)))
      .map((folder) => `${folder}/: is in the tree, but not in src`),
  ];
}

/** Reads the folders of the block that begins with `src/`: each level is indented by two spaces, folders end with a slash. */
function foldersDrawn(document: string): string[] {
  const block = /^src\/\n([\s\S]*?)^```/m.exec(document)?.[1] ?? '';
  const found: string[] = [];
  let parent = '';
  for (const [, indent = '', rest = ''] of block.matchAll(/^( {2}| {4})(\S.*)$/gm)) {
    for (const [, name = ''] of rest.matchAll(/(?:^|\s)([\w-]+)\/(?=\s|$)/g)) {
      if (indent.length === 2) parent = name;
      found.push(indent.length === 2 ? name : `${parent}/${name}`);
    }
  }
  return found;
}

const REVEALING = /\blog\.(?:fatal|error|warn|info)\(\s*\{[^}]*\b(?:url|href|address|query)\b/;

/** Properties are written out: no object literal is spread into another to keep it on one line. */
export function literalSpreads(tree: SourceTree): Violation[] {
  return tree.files
    .filter(({ text }) => /\.\.\.\{/.test(text))
    .map(({ path }) => `${path}: spreads an object literal`);
}

/** No log line above debug contains a URL or a query. */
export function revealingLogLines(tree: SourceTree): Violation[] {
  return sources(tree)
    .filter(({ text }) => REVEALING.test(text))
    .map(({ path }) => `${path}: logs a URL or a query`);
}

const FUNCTION_NAMES =
  /\bfunction\*?\s+(\w+)|\bconst (\w+)(?:: [^=\n]+)? =\s*(?:async )?(?:function\b|\w+ =>|(?:<[^>]+>)?\((?:[^()]|\([^()]*\))*\)(?:: [^=\n]+)? =>)/g;
const ACCEPTED_FIRST_WORDS = /^(?:to|on|with|without)[A-Z]/;
export const VERB_SHARE_MIN = 0.9;

/** Names of the functions that a source text declares, those inside other functions too. */
export function functionNames(text: string): string[] {
  return [...text.matchAll(FUNCTION_NAMES)].map(([, declared, constant]) => declared ?? constant ?? '');
}

/** Nine tenths of the functions of each folder have a name that begins with a verb. */
export function nounFunctions(tree: SourceTree, verbs: ReadonlySet<string>): Violation[] {
  const counts = new Map<string, { all: number; nouns: string[] }>();
  for (const file of sources(tree)) {
    const count = counts.get(folderOf(file.path)) ?? { all: 0, nouns: [] };
    for (const name of functionNames(file.text)) {
      count.all += 1;
      const first = /^[a-z]+/.exec(name)?.[0] ?? name;
      if (!verbs.has(first) && !ACCEPTED_FIRST_WORDS.test(name)) count.nouns.push(name);
    }
    counts.set(folderOf(file.path), count);
  }
  return [...counts]
    .filter(([, { all, nouns }]) => nouns.length > Math.max(1, (1 - VERB_SHARE_MIN) * all))
    .map(
      ([folder, { all, nouns }]) =>
        `${folder}: only ${all - nouns.length} of ${all} functions begin with a verb, not ${nouns.slice(0, 8).join(', ')}`,
    );
}

const PARTICIPLES =
  /^(?:export )?(?:type|async function|function|const) ((?:Wanted|Asked|Shown|Found|Kept|Said|Told|Known|Written|Sought|Begun|Worked|Held|Given|Named|Charged|Answered|Ready|Stated|Opened|Judged|Placed|Scored|Ranked|Parsed|Looked|Read|Done|Taken|Chosen|Drawn)|(?:wanted|asked|shown|found|kept|said|told|known|written|sought|begun|worked|held|given|named|charged|answered|stated|opened|judged|placed|scored|ranked|parsed|looked|taken|chosen|drawn)(?=\())\b/gm;

/** No type and no function is named by a bare participle, which does not say what it holds or does. */
export function participleNames(tree: SourceTree): Violation[] {
  return sources(tree).flatMap(({ path, text }) =>
    [...text.matchAll(PARTICIPLES)].map(([, name]) => `${path}: ${name} is a bare participle`),
  );
}

const PARAGRAPH = /^\/\*\*(?:(?!\*\/)[\s\S]){90,}\*\//;
const FILES_OF_A_MODULE = 3;

/** Some file of each module begins with a paragraph: what the module is, what it promises, what it is not. */
export function missingParagraphs(tree: SourceTree): Violation[] {
  const modules = new Map<string, SourceFile[]>();
  for (const file of sources(tree)) {
    const folder = sliceOf(dirname(file.path));
    modules.set(folder, [...(modules.get(folder) ?? []), file]);
  }
  return [...modules]
    .filter(
      ([, files]) => files.length >= FILES_OF_A_MODULE && !files.some(({ text }) => PARAGRAPH.test(text)),
    )
    .map(([folder]) => `${folder}/: no file begins with a paragraph about the module`);
}
