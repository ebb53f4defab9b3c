/**
 * Loads tree-sitter and its grammars, which are WebAssembly: a parser that crashes or loops cannot leave its sandbox. They are a part
 * of their own in `runtime/libraries`, so that a server that reads no packages neither installs nor loads them.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type GrammarName = 'typescript' | 'javascript' | 'python' | 'rust' | 'go' | 'java' | 'kotlin';

/*
 * The packages are absent on most machines, so their types are not available here. These are the parts of tree-sitter 0.25 that are used:
 */
export type SyntaxNode = {
  type: string;
  isNamed: boolean;
  text: string;
  startIndex: number;
  endIndex: number;
  startPosition: { row: number; column: number };
  endPosition: { row: number; column: number };
  hasError: boolean;
  isError: boolean;
  isMissing: boolean;
  children: SyntaxNode[];
  namedChildren: SyntaxNode[];
  childForFieldName(name: string): SyntaxNode | null;
  childrenForFieldName(name: string): SyntaxNode[];
};
type SyntaxTree = { rootNode: SyntaxNode; delete(): void };
type Parser = {
  setLanguage(language: object): void;
  parse(text: string, old: null, options: { progressCallback: () => boolean }): SyntaxTree | null;
  delete(): void;
};
type TreeSitter = {
  Parser: { new (): Parser; init(): Promise<void> };
  Language: { load(bytes: Uint8Array): Promise<object> };
};

export class StoppedParsing extends Error {
  constructor() {
    super('it takes too long');
  }
}

/** Parses a text and hands its root to `read`. Throws `StoppedParsing` once `mustStop`, which is asked again and again, says so. */
export type Grammars = <Result>(
  grammar: GrammarName,
  text: string,
  mustStop: () => boolean,
  read: (root: SyntaxNode) => Result,
) => Result;

const PACKAGE = '@vscode/tree-sitter-wasm';
const FILES: Record<GrammarName, string> = {
  typescript: `${PACKAGE}/wasm/tree-sitter-typescript.wasm`,
  javascript: `${PACKAGE}/wasm/tree-sitter-javascript.wasm`,
  python: `${PACKAGE}/wasm/tree-sitter-python.wasm`,
  rust: `${PACKAGE}/wasm/tree-sitter-rust.wasm`,
  go: `${PACKAGE}/wasm/tree-sitter-go.wasm`,
  java: `${PACKAGE}/wasm/tree-sitter-java.wasm`,
  kotlin: '@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm',
};
/** The package with the grammars. */
const LOCKED = join(import.meta.dirname, '../../../runtime/libraries/package.json');

/** Loads the named grammars. Throws with the command that installs them where they are absent. */
export async function openGrammars(names: readonly GrammarName[]): Promise<Grammars> {
  const { Parser, Language } = await loadTreeSitter();
  await Parser.init();
  const { resolve } = createRequire(LOCKED);
  const languages = new Map<GrammarName, object>();
  for (const name of names) languages.set(name, await Language.load(readFileSync(resolve(FILES[name]))));
  return (grammar, text, mustStop, read) => {
    const language = languages.get(grammar);
    if (language === undefined) throw new Error(`the grammar of ${grammar} was not opened`);
    // A parser that was stopped would go on with the text it was stopped in.
    const parser = new Parser();
    let tree: SyntaxTree | null = null;
    try {
      parser.setLanguage(language);
      tree = parser.parse(text, null, { progressCallback: mustStop });
      if (tree === null) throw new StoppedParsing();
      return read(tree.rootNode);
    } finally {
      tree?.delete();
      parser.delete();
    }
  };
}

async function loadTreeSitter(): Promise<TreeSitter> {
  let address: string;
  try {
    const { resolve } = createRequire(LOCKED);
    address = pathToFileURL(resolve(PACKAGE)).href;
    for (const file of Object.values(FILES)) resolve(file);
  } catch (cause) {
    const command = `npm ci --ignore-scripts --prefix ${dirname(LOCKED)}`;
    throw new Error(`the grammars of programming languages are not installed: ${command}`, { cause });
  }
  const loaded = await import(address);
  // The types above describe this module.
  return (loaded.default ?? loaded) as TreeSitter;
}
