import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Node, SyntaxKind, type SourceFile as SyntaxTree } from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

/** An import, export-from, dynamic import, `new URL(…, import.meta.url)`, or `resolveThreadModule(…)` of another file. */
export type Import = {
  /** The path below `src/` of a relative import; null for a package. */
  path: string | null;
  /** As written in the source text. */
  specifier: string;
  typeOnly: boolean;
  /** Imported names as the other file exports them; `*` for all. */
  names: string[];
};

export type SourceFile = {
  /** Below `src/`, with slashes. */
  path: string;
  text: string;
  isTest: boolean;
  imports: Import[];
  exports: { name: string; isType: boolean }[];
};

/** A project's source files, and what tests, benches and evaluations import from `src/`. */
export type SourceTree = {
  files: SourceFile[];
  /** Names that files outside `src/` import, by path below `src/`. */
  usedOutside: Map<string, Set<string>>;
  /** Files of any kind below `src/` and `models/`, with their size in bytes. */
  sizes: Map<string, number>;
  /** Throws where the file does not exist. */
  read(path: string): string;
};

const trees = new Map<string, SourceTree>();

/** Parses the project in a folder with TypeScript's parser, once for all tests of a process. */
export function readSourceTree(root: string): SourceTree {
  const tree = trees.get(root) ?? parseSourceTree(root);
  trees.set(root, tree);
  return tree;
}

function parseSourceTree(root: string): SourceTree {
  const api = new API({ cwd: root });
  try {
    const parsed = parseAll(api, root);
    const sizes = new Map(['src', 'models'].flatMap((folder) => sizesBelow(root, folder)));
    return { ...parsed, sizes, read: (path) => readFileSync(join(root, path), 'utf8') };
  } finally {
    api.close();
  }
}

/** Parses source texts by path below the project's folder, such as `src/text/words.ts`. */
export function sourceTreeOf(texts: Record<string, string>): SourceTree {
  const root = '/project';
  const config = { compilerOptions: { noLib: true, types: [] }, include: ['src', 'test', 'bench', 'eval'] };
  const entries = Object.entries({ 'tsconfig.json': JSON.stringify(config), ...texts });
  const fs = createVirtualFileSystem(
    Object.fromEntries(entries.map(([path, text]) => [join(root, path), text])),
  );
  const api = new API({ cwd: root, fs });
  try {
    const sizes = new Map(entries.map(([path, text]) => [path, Buffer.byteLength(text)] as const));
    const read = (path: string): string => texts[path] ?? missing(path);
    return { ...parseAll(api, root), sizes, read };
  } finally {
    api.close();
  }
}

function missing(path: string): never {
  throw new Error(`${path} is absent`);
}

function parseAll(api: API, root: string): Pick<SourceTree, 'files' | 'usedOutside'> {
  const snapshot = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] });
  const program = snapshot.getProjects()[0]?.program;
  if (program === undefined) throw new Error(`no project in ${root}`);
  const files: SourceFile[] = [];
  const usedOutside = new Map<string, Set<string>>();
  for (const name of program.getSourceFileNames()) {
    const path = relative(root, name);
    const tree =
      path.startsWith('..') || path.includes('node_modules') ? undefined : program.getSourceFile(name);
    if (tree === undefined) continue;
    const file = readFile(relative(join(root, 'src'), name), tree);
    if (path.startsWith('src/')) {
      files.push(file);
      continue;
    }
    addUses(usedOutside, file);
  }
  return { files, usedOutside };
}

/** The lines of a text that ends with a line break. */
export const linesOf = (text: string): number => text.split('\n').length - 1;

function addUses(usedOutside: SourceTree['usedOutside'], file: SourceFile): void {
  for (const { path, names } of file.imports) {
    if (path === null) continue;
    const used = usedOutside.get(path) ?? new Set();
    for (const name of names) used.add(name);
    usedOutside.set(path, used);
  }
}

function sizesBelow(root: string, folder: string): [string, number][] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return paths.map((path) => [join(folder, path), statSync(join(root, folder, path)).size]);
}

function readFile(path: string, tree: SyntaxTree): SourceFile {
  const file: SourceFile = {
    path,
    text: tree.text,
    isTest: path.endsWith('.test.ts'),
    imports: [],
    exports: [],
  };
  const visit = (node: Node): void => {
    readImport(node, file);
    readExport(node, file);
    node.forEachChild(visit);
  };
  visit(tree);
  return file;
}

// biome-ignore lint/suspicious/noExplicitAny: the nodes' types depend on their kind, which is checked first
type AnyNode = any;

function readImport(node: Node, file: SourceFile): void {
  const read = node as AnyNode;
  if (node.kind === SyntaxKind.ImportDeclaration) addImport(file, read.moduleSpecifier, importedNames(read));
  else if (node.kind === SyntaxKind.ExportDeclaration && read.moduleSpecifier !== undefined)
    addImport(file, read.moduleSpecifier, reexportedNames(read));
  else if (node.kind === SyntaxKind.CallExpression && read.expression.kind === SyntaxKind.ImportKeyword)
    addImport(file, read.arguments[0], { names: ['*'], typeOnly: false });
  else if (node.kind === SyntaxKind.NewExpression && read.expression.text === 'URL')
    addImport(file, read.arguments?.[0], { names: ['*'], typeOnly: false });
  else if (node.kind === SyntaxKind.CallExpression && read.expression.text === 'resolveThreadModule')
    addThreadModule(file, read.arguments[0]);
}

/** Procedures name the file that they are in. */
function addThreadModule(file: SourceFile, literal: AnyNode): void {
  if (literal?.kind !== SyntaxKind.StringLiteral) return;
  const path = `${literal.text}.ts`;
  if (path === file.path.replace(/^src\//, '')) return;
  file.imports.push({ path, specifier: literal.text, names: ['*'], typeOnly: false });
}

function addImport(file: SourceFile, literal: AnyNode, used: Pick<Import, 'names' | 'typeOnly'>): void {
  const specifier: unknown = literal?.text;
  if (literal?.kind !== SyntaxKind.StringLiteral || typeof specifier !== 'string') return;
  const path = specifier.startsWith('.')
    ? relative('/', resolve('/', dirname(file.path), specifier)).replace(/^src\//, '')
    : null;
  file.imports.push({ path, specifier, ...used });
}

function importedNames({ importClause: clause }: AnyNode): Pick<Import, 'names' | 'typeOnly'> {
  if (clause === undefined) return { names: [], typeOnly: false };
  const isType = clause.phaseModifier === SyntaxKind.TypeKeyword;
  const bindings = clause.namedBindings;
  if (bindings?.kind !== SyntaxKind.NamedImports) return { names: ['*'], typeOnly: isType };
  const named = namesOf(bindings.elements, isType);
  if (clause.name === undefined) return named;
  return { names: ['default', ...named.names], typeOnly: isType };
}

function reexportedNames({ isTypeOnly, exportClause }: AnyNode): Pick<Import, 'names' | 'typeOnly'> {
  if (exportClause?.kind !== SyntaxKind.NamedExports) return { names: ['*'], typeOnly: isTypeOnly };
  return namesOf(exportClause.elements, isTypeOnly);
}

function namesOf(elements: AnyNode[], isType: boolean): Pick<Import, 'names' | 'typeOnly'> {
  const names = [...elements].map((element) => (element.propertyName ?? element.name).text as string);
  const typeOnly = isType || (names.length > 0 && [...elements].every((element) => element.isTypeOnly));
  return { names, typeOnly };
}

function readExport(node: Node, file: SourceFile): void {
  const read = node as AnyNode;
  if (node.kind === SyntaxKind.ExportDeclaration && read.exportClause?.kind === SyntaxKind.NamedExports) {
    for (const { name, isTypeOnly } of read.exportClause.elements)
      file.exports.push({ name: name.text, isType: read.isTypeOnly || isTypeOnly });
  }
  const isExported = read.modifiers?.some?.((each: Node) => each.kind === SyntaxKind.ExportKeyword) === true;
  if (!isExported) return;
  const isType =
    node.kind === SyntaxKind.TypeAliasDeclaration || node.kind === SyntaxKind.InterfaceDeclaration;
  const declared = node.kind === SyntaxKind.VariableStatement ? read.declarationList.declarations : [read];
  for (const { name } of declared)
    if (name?.text !== undefined) file.exports.push({ name: name.text, isType });
}
