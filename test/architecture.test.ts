import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, test } from 'node:test';

/** The rules of ARCHITECTURE.md, executed over the source text. */
const SRC = resolve(import.meta.dirname, '../src');
const FILE_LINES_MAX = 300;
const FUNCTION_LINES_MAX = 60;

/** Files that are a table by nature, excepted from the length rule by name. */
const TABLES = new Set<string>([]);

type SourceFile = { path: string; text: string; imports: { from: string; typeOnly: boolean }[] };

const files: SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => {
    const text = readFileSync(join(SRC, name), 'utf8');
    return { path: name, text, imports: importsOf(text) };
  });

function importsOf(text: string): SourceFile['imports'] {
  const found: SourceFile['imports'] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?'([^']+)'/gm)) {
    const names = (match[2] ?? '').match(/\{([^}]*)\}/)?.[1] ?? '';
    const onlyTypes =
      names !== '' && names.split(',').every((name) => name.trim() === '' || /^type\s/.test(name.trim()));
    found.push({ from: match[3] ?? '', typeOnly: match[1] !== undefined || onlyTypes });
  }
  for (const match of text.matchAll(/\bimport\('([^']+)'\)/g))
    found.push({ from: match[1] ?? '', typeOnly: false });
  return found;
}

/** The source path that a relative import names, or null for a package. */
function target(file: SourceFile, from: string): string | null {
  return from.startsWith('.') ? relative(SRC, resolve(SRC, dirname(file.path), from)) : null;
}

const sliceOf = (path: string): string => path.split('/')[0] ?? path;

const PURE = [
  /^retrieval\/(?:extract|chunk|rank|prune|answer|proof|research)\//,
  /^retrieval\/page\.ts$/,
  /^retrieval\/open\/(?:rewrite-url\.ts$|sharing\/)/,
  /^retrieval\/recall\/(?:fuse|fold-alike|weights|filters|source|query-traits|condense-query|canonical-url|site-forms|rerank-by-passages|near-alike)\.ts$/,
  /^retrieval\/recall\/(?:answers|sources)\//,
  /^corpus\/(?:robots|links)\.ts$/,
  /^platform\/net\/(?:address|network)\.ts$/,
  /^billing\/(?:prices|networks|burn-rate|day)\.ts$/,
  /^platform\/utc-day\.ts$/,
  /^http\/mcp\/(?:arguments|origin|writing)\.ts$/,
];
/** Pure files that read a table of constants shipped beside them. */
const READS_ITS_TABLE = new Set(['retrieval/rank/passages/vector-table.ts']);
const isPure = (path: string): boolean => PURE.some((pattern) => pattern.test(path));

describe('imports follow the arrow http -> retrieval | corpus | billing -> platform', () => {
  const allowed: Record<string, string[]> = {
    http: ['http', 'retrieval', 'corpus', 'billing', 'platform'],
    corpus: ['corpus', 'retrieval', 'platform'],
    retrieval: ['retrieval', 'platform'],
    billing: ['billing', 'platform'],
    platform: ['platform'],
  };
  const shared = new Set(['errors.ts', 'limits.ts', 'events.ts']);
  for (const file of files) {
    const from = allowed[sliceOf(file.path)];
    if (from === undefined) continue;
    test(file.path, () => {
      for (const used of file.imports) {
        const path = target(file, used.from);
        if (path === null || shared.has(path)) continue;
        assert.ok(from.includes(sliceOf(path)) || used.typeOnly, `${file.path} imports ${path}`);
        assert.notEqual(path, 'services.ts', `${file.path} reaches up to the composition root`);
      }
    });
  }
});

test('pure files import pure files, packages without effects and types only', () => {
  for (const file of files.filter(({ path }) => isPure(path))) {
    for (const used of file.imports.filter(({ typeOnly }) => !typeOnly)) {
      const path = target(file, used.from);
      // Of node:net a pure file takes isIP, which reads text only.
      if (path === null && used.from === 'node:fs' && READS_ITS_TABLE.has(file.path)) continue;
      if (path === null)
        assert.doesNotMatch(used.from, /^node:(?!assert|url|net$)/, `${file.path} imports ${used.from}`);
      else
        assert.ok(
          isPure(path) || path === 'errors.ts' || path === 'limits.ts',
          `${file.path} imports ${path}`,
        );
    }
    assert.doesNotMatch(file.text, /\b(?:Date\.now|Math\.random|process\.)/, `${file.path} is not pure`);
  }
});

test('process.env is read in main.ts and cli.ts only', () => {
  for (const file of files.filter(({ path }) => path !== 'main.ts' && path !== 'cli.ts')) {
    assert.doesNotMatch(file.text, /process\.env/, file.path);
  }
});

test('no line of the log above debug tells an address or a query', () => {
  const telling = /\blog\.(?:fatal|error|warn|info)\(\s*\{[^}]*\b(?:url|href|address|query)\b/;
  for (const file of files) assert.doesNotMatch(file.text, telling, file.path);
});

/** A package, and the only places that may import it. */
const ONLY_IN: [package_: RegExp, places: RegExp][] = [
  [/^undici$/, /^platform\/net\//],
  [/^node:(?:http|https|net|tls|dns|dns\/promises|dgram)$/, /^(?:platform\/net\/|http\/|main\.ts$)/],
  [/^node:sqlite$/, /^platform\/store\//],
  [/^(?:fastify|@fastify\/.*)$/, /^(?:http\/|main\.ts$)/],
  [/^pg$/, /^platform\/store\/books\//],
  [/^prom-client$/, /^platform\/metrics\.ts$/],
  [/^@modelcontextprotocol\//, /^http\/mcp\//],
  [/^stripe$/, /^billing\/stripe\.ts$/],
];

test('foreign addresses, SQL drivers, the HTTP framework and Stripe are reached from one place each', () => {
  for (const file of files) {
    for (const used of file.imports.filter(({ typeOnly }) => !typeOnly)) {
      for (const [name, places] of ONLY_IN) {
        if (name.test(used.from)) assert.match(file.path, places, `${file.path} imports ${used.from}`);
      }
    }
    assert.doesNotMatch(
      file.text,
      /(?<![.\w])fetch\(/,
      `${file.path} uses the global fetch, which is not guarded`,
    );
  }
});

test('a table is touched by one slice only', () => {
  const owners = new Map<string, Set<string>>();
  for (const file of files.filter(({ path }) => !path.startsWith('platform/store/'))) {
    for (const match of file.text.matchAll(
      /\.(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto)\('(\w+)/g,
    )) {
      const table = match[1] ?? '';
      owners.set(table, (owners.get(table) ?? new Set()).add(sliceOf(file.path)));
    }
  }
  for (const [table, slices] of owners)
    assert.equal(slices.size, 1, `${table} is touched by ${[...slices].join(' and ')}`);
});

test('files and functions are short', () => {
  for (const file of files.filter(({ path }) => !TABLES.has(path))) {
    const lines = file.text.split('\n');
    assert.ok(lines.length - 1 <= FILE_LINES_MAX, `${file.path} has ${lines.length - 1} lines`);
    for (const { name, length } of functionsOf(lines)) {
      assert.ok(length <= FUNCTION_LINES_MAX, `${file.path}: ${name} has ${length} lines`);
    }
  }
});

/** Top-level functions and class methods, measured by indentation (the formatter guarantees it). */
function functionsOf(lines: string[]): { name: string; length: number }[] {
  const found: { name: string; length: number }[] = [];
  for (const [start, line] of lines.entries()) {
    const head =
      /^( {0,2})(?:export )?(?:static )?(?:async )?(?:function\*? |#?\w+\(|const \w+ = (?:async )?\()/.exec(
        line,
      );
    if (head === null || !line.endsWith('{')) continue;
    const close = lines.findIndex((other, index) => index > start && other.startsWith(`${head[1] ?? ''}}`));
    if (close !== -1) found.push({ name: line.trim(), length: close - start + 1 });
  }
  return found;
}
