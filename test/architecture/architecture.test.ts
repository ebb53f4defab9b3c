import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { EXCEPTIONS } from './exceptions.ts';
import {
  blobs,
  type Confined,
  crumbs,
  deadExports,
  escapes,
  folderCycles,
  importCycles,
  importsAgainstArrows,
  impurities,
  literalSpreads,
  missingFiles,
  missingParagraphs,
  nounFunctions,
  participleNames,
  readArrows,
  revealingLogLines,
  sharedTables,
  treeOutOfDate,
  typeNamesTwice,
  type Violation,
} from './rules.ts';
import { readSourceTree } from './source-tree.ts';
import { VERBS } from './verbs.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Folders without effects, and pure files elsewhere that they may import. */
const PURE = {
  pureFolders: ['text', 'pages/extract'],
  pureBeside: ['contract/errors.ts', 'contract/limits.ts', 'pages/article.ts'],
};

const CONFINED: Confined[] = [
  { by: 'import', what: /^undici$/, places: /^platform\/net\// },
  {
    by: 'import',
    what: /^node:(?:http|https|net|tls|dns|dns\/promises|dgram)$/,
    places: /^(?:platform\/net\/|http\/|render\/(?:render-server|serve-render)\.ts$)/,
  },
  { by: 'text', what: /['"]puppeteer-core['"]/, places: /^render\// },
  { by: 'import', what: /^node:sqlite$/, places: /^platform\/store\// },
  { by: 'import', what: /^(?:fastify|@fastify\/.*)$/, places: /^http\// },
  { by: 'import', what: /^pg$/, places: /^platform\/store\/(?:ledger\/|postgres-pool\.ts)/ },
  { by: 'text', what: /['"]@opensearch-project\/opensearch/, places: /^index\/opensearch\/connect\// },
  { by: 'import', what: /^prom-client$/, places: /^platform\/metrics\.ts$/ },
  { by: 'import', what: /^@modelcontextprotocol\//, places: /^http\/mcp\// },
  { by: 'import', what: /^stripe$/, places: /^billing\/payments\/providers\/stripe\.ts$/ },
  // A query is read in one place.
  {
    by: 'import',
    what: /\/(?:query-terms|query-traits|passage-query|condense-query)\.ts$/,
    places: /^text\/query\/read-query\.ts$/,
  },
  { by: 'text', what: /process\.env/, places: /^cli\.ts$/ },
  { by: 'text', what: /(?<![.\w])fetch\(/, places: /^$/ },
];

describe('the architecture', () => {
  const tree = readSourceTree(ROOT);
  const document = tree.read('ARCHITECTURE.md');

  const rules: Record<string, () => Violation[]> = {
    importsAgainstArrows: () => importsAgainstArrows(tree, readArrows(document)),
    importCycles: () => importCycles(tree),
    folderCycles: () => folderCycles(tree),
    impurities: () => impurities(tree, PURE),
    escapes: () => escapes(tree, CONFINED),
    sharedTables: () => sharedTables(tree),
    literalSpreads: () => literalSpreads(tree),
    nounFunctions: () => nounFunctions(tree, VERBS),
    participleNames: () => participleNames(tree),
    missingFiles: () => missingFiles(tree),
    missingParagraphs: () => missingParagraphs(tree),
    revealingLogLines: () => revealingLogLines(tree),
    deadExports: () => deadExports(tree),
    typeNamesTwice: () => typeNamesTwice(tree),
    blobs: () => blobs(tree),
    crumbs: () => crumbs(tree),
    treeOutOfDate: () => treeOutOfDate(tree, document),
  };
  for (const [name, violations] of Object.entries(rules)) {
    test(name, () => {
      const excepted = EXCEPTIONS[name] ?? {};
      const found = violations();
      const places = new Set(found.map(placeOf));
      assert.deepEqual(
        found.filter((violation) => excepted[placeOf(violation)] === undefined),
        [],
      );
      assert.deepEqual(
        Object.keys(excepted).filter((place) => !places.has(place)),
        [],
        'exceptions that are no longer needed',
      );
    });
  }

  test('the pure folders exist', () => {
    for (const folder of PURE.pureFolders)
      assert.ok(
        tree.files.some(({ path }) => path.startsWith(join(folder, '/'))),
        folder,
      );
  });
});

const placeOf = (violation: Violation): string => violation.split(': ')[0] ?? violation;
