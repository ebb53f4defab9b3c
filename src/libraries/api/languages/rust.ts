/**
 * Reads the public items of a crate: the tree of its modules, what they declare, and what `pub use` brings to another place. An item
 * is documented where it is declared, or, if no caller can name that module, where it is exported again.
 */

import { type ApiModule, type Declaration, declare } from '../api-module.ts';
import { convertRustdoc } from '../comments/rustdoc.ts';
import type { SyntaxNode } from '../open-grammars.ts';
import {
  boundSignature,
  canGoOn,
  cutSignature,
  dropEnd,
  LIMITS,
  lineOf,
  readHead,
  type SourceReader,
  type Trail,
} from '../source-reader.ts';

type RustModule = {
  /** Segments below the crate. */
  path: readonly string[];
  docs: string;
  deprecated: string | null;
  isPublic: boolean;
  isHidden: boolean;
  items: Map<string, Declaration[]>;
  children: Map<string, RustModule>;
  uses: Use[];
};
/** `pub use a::b as c`; `*` stands for all names. */
type Use = { path: readonly string[]; name: string; isHidden: boolean };
type Implementation = { type: string; trait: string | null; members: Declaration[]; module: RustModule };
/** What precedes an item: its comment and its attributes. */
type Preamble = { docs: string[]; attributes: string[] };

type Crate = {
  source: SourceReader;
  implementations: Implementation[];
  macros: Declaration[];
  /** The first rule of each macro, by its name. */
  expansions: Map<string, { left: string; right: string }>;
  files: Set<string>;
};

const ITEM_KINDS: Record<string, string> = {
  function_item: 'function',
  function_signature_item: 'function',
  struct_item: 'struct',
  union_item: 'union',
  enum_item: 'enum',
  trait_item: 'trait',
  type_item: 'type',
  const_item: 'constant',
  static_item: 'static',
  trait_alias: 'trait',
};

/** Conditions that no build for callers has. */
const FOR_TESTS = /\bcfg\s*\(\s*(?:test|fuzzing|loom|miri|kani)\s*\)/;

export function readRustModules(source: SourceReader): ApiModule[] {
  const manifest = source.getText('Cargo.toml') ?? '';
  const name = (
    readManifestKey(manifest, 'lib', 'name') ??
    readManifestKey(manifest, 'package', 'name') ??
    'crate'
  ).replaceAll('-', '_');
  const path = [readManifestKey(manifest, 'lib', 'path') ?? 'src/lib.rs', 'src/lib.rs', 'src/main.rs'].find(
    (candidate) => source.getText(candidate) !== null,
  );
  if (path === undefined) return [];
  const root = createModule([], { isPublic: true, isHidden: false });
  const crate: Crate = {
    source,
    implementations: [],
    macros: [],
    expansions: new Map(),
    files: new Set([path]),
  };
  source.read(path, 'rust', (node, text) =>
    readItems(node.namedChildren, root, { crate, text, lineOffset: 0, folder: folderOf(path), depth: 0 }),
  );
  // `#[macro_export]` puts a macro at the root, wherever it stands.
  for (const macro of crate.macros) addItem(root, macro.name, macro);
  attachImplementations(root, crate.implementations);
  return writeModules(root, name);
}

/** Reads `key = "value"` below `[section]`. */
function readManifestKey(manifest: string, section: string, key: string): string | undefined {
  const lines = manifest.split('\n').map((line) => line.trim());
  const begin = lines.indexOf(`[${section}]`);
  if (begin === -1) return undefined;
  for (const line of lines.slice(begin + 1)) {
    if (line.startsWith('[')) return undefined;
    const [, found, value] = /^([\w-]+)\s*=\s*"([^"]+)"/.exec(line) ?? [];
    if (found === key) return value;
  }
  return undefined;
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

function createModule(
  path: readonly string[],
  { isPublic, isHidden }: Pick<RustModule, 'isPublic' | 'isHidden'>,
): RustModule {
  return {
    path,
    docs: '',
    deprecated: null,
    isPublic,
    isHidden,
    items: new Map(),
    children: new Map(),
    uses: [],
  };
}

function addItem(module: RustModule, name: string, item: Declaration): void {
  const known = module.items.get(name);
  // The same item for another target or feature.
  if (known?.some(({ kind }) => kind === item.kind)) return;
  module.items.set(name, [...(known ?? []), item]);
}

type Scope = { crate: Crate; text: string; lineOffset: number; folder: string; depth: number };

function readItems(nodes: readonly SyntaxNode[], module: RustModule, scope: Scope): void {
  const moduleDocs: string[] = [];
  for (const { node, preamble } of pairWithPreambles(nodes, moduleDocs))
    readItem(node, preamble, module, scope);
  if (moduleDocs.length > 0) {
    const docs = convertRustdoc(stripMargin(moduleDocs));
    module.docs = module.docs === '' ? docs : `${module.docs}\n\n${docs}`;
  }
}

function pairWithPreambles(
  nodes: readonly SyntaxNode[],
  innerDocs: string[],
): { node: SyntaxNode; preamble: Preamble }[] {
  const pairs: { node: SyntaxNode; preamble: Preamble }[] = [];
  let preamble: Preamble = { docs: [], attributes: [] };
  for (const node of nodes) {
    if (node.type === 'line_comment' || node.type === 'block_comment') {
      const doc = node.childForFieldName('doc')?.text;
      if (node.childForFieldName('inner') !== null) innerDocs.push(...readDocLines(node, doc ?? ''));
      else if (node.childForFieldName('outer') !== null) preamble.docs.push(...readDocLines(node, doc ?? ''));
    } else if (node.type === 'attribute_item') {
      const doc = /^#\[\s*doc\s*=\s*r?#*"([\s\S]*?)"#*\s*\]$/.exec(node.text)?.[1];
      if (doc === undefined) preamble.attributes.push(node.text);
      else preamble.docs.push(...doc.replaceAll('\\"', '"').replaceAll('\\n', '\n').split('\n'));
    } else if (node.type === 'inner_attribute_item') {
      const doc = /^#!\[\s*doc\s*=\s*r?#*"([\s\S]*?)"#*\s*\]$/.exec(node.text)?.[1];
      if (doc !== undefined) innerDocs.push(...doc.replaceAll('\\"', '"').split('\n'));
    } else {
      pairs.push({ node, preamble });
      preamble = { docs: [], attributes: [] };
    }
  }
  return pairs;
}

function readDocLines(node: SyntaxNode, doc: string): string[] {
  if (node.type === 'line_comment') return [doc.replace(/\r?\n$/, '')];
  return doc.split('\n').map((line) => line.replace(/^\s*\*(?= |$)/, ''));
}

function stripMargin(lines: readonly string[]): string {
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const margin = indents.reduce((least, indent) => Math.min(least, indent), 4);
  return lines.map((line) => line.slice(Math.min(margin, line.length - line.trimStart().length))).join('\n');
}

function isHidden({ attributes }: Preamble): boolean {
  return attributes.some(
    (attribute) => /\bdoc\s*\(\s*hidden\s*\)/.test(attribute) || FOR_TESTS.test(attribute),
  );
}

function readDeprecation({ attributes }: Preamble): string | null {
  const found = attributes.find((attribute) => /^#\[\s*(?:cfg_attr\([\s\S]*\b)?deprecated\b/.test(attribute));
  if (found === undefined) return null;
  const note =
    /\bnote\s*=\s*"((?:[^"\\]|\\.)*)"/.exec(found)?.[1] ??
    /deprecated\s*=\s*"([^"]*)"/.exec(found)?.[1] ??
    '';
  const since = /\bsince\s*=\s*"([^"]*)"/.exec(found)?.[1];
  return [since === undefined ? '' : `since ${since}`, note].filter((part) => part !== '').join(': ');
}

function readDocs(preamble: Preamble): { docs: string; deprecated: string | null } {
  return { docs: convertRustdoc(stripMargin(preamble.docs)), deprecated: readDeprecation(preamble) };
}

/** `pub`, but not `pub(crate)`. */
function isPublic(node: SyntaxNode): boolean {
  return node.namedChildren.some(({ type, text }) => type === 'visibility_modifier' && text === 'pub');
}

function readItem(node: SyntaxNode, preamble: Preamble, module: RustModule, scope: Scope): void {
  if (node.type === 'mod_item') readModule(node, preamble, module, scope);
  else if (node.type === 'use_declaration') {
    if (isPublic(node)) module.uses.push(...readUses(node, isHidden(preamble)));
  } else if (node.type === 'impl_item') readImplementation(node, preamble, module, scope);
  else if (node.type === 'macro_definition') {
    const isExported = preamble.attributes.some((attribute) => /^#\[\s*macro_export\b/.test(attribute));
    if (isExported && !isHidden(preamble)) scope.crate.macros.push(readMacro(node, preamble, scope));
    const [rule] = node.namedChildren.filter(({ type }) => type === 'macro_rule');
    const [left, right] = [rule?.childForFieldName('left')?.text, rule?.childForFieldName('right')?.text];
    if (left !== undefined && right !== undefined)
      scope.crate.expansions.set(node.childForFieldName('name')?.text ?? '', { left, right });
  } else if (node.type === 'macro_invocation' || node.type === 'expression_statement') {
    readItemsInMacro(node, module, scope);
  } else if (node.type === 'foreign_mod_item') {
    for (const pair of pairWithPreambles(node.childForFieldName('body')?.namedChildren ?? [], []))
      readItem(pair.node, pair.preamble, module, scope);
  } else {
    const kind = ITEM_KINDS[node.type];
    const name = node.childForFieldName('name')?.text ?? '';
    if (kind === undefined || name === '' || !isPublic(node) || isHidden(preamble)) return;
    addItem(module, name, describeItem(node, preamble, { kind, name, scope }));
  }
}

function describeItem(
  node: SyntaxNode,
  preamble: Preamble,
  { kind, name, scope }: { kind: string; name: string; scope: Scope },
): Declaration {
  const { docs, deprecated } = readDocs(preamble);
  const body = node.childForFieldName('body');
  const hasBlock =
    kind === 'function' || kind === 'trait' || kind === 'enum' || body?.type === 'field_declaration_list';
  const end = kind === 'constant' || kind === 'static' ? findValueStart(node) : hasBlock ? body : null;
  return declare({
    name,
    kind,
    signature: dropEnd(readHead(node, scope.text, end), '=', ';'),
    line: lineOf(node) + scope.lineOffset,
    docs,
    deprecated,
    members: body === null ? [] : readOwnMembers(body, name, kind, scope),
  });
}

/** A value that is no literal says nothing about the type. */
function findValueStart(node: SyntaxNode): SyntaxNode | null {
  const value = node.childForFieldName('value');
  return value === null || /literal$/.test(value.type) ? null : value;
}

/** Public fields, variants, and the items of a trait. */
function readOwnMembers(body: SyntaxNode, owner: string, kind: string, scope: Scope): Declaration[] {
  if (kind === 'function') return [];
  return pairWithPreambles(body.namedChildren, []).flatMap(({ node, preamble }) => {
    const name = `${owner}::${node.childForFieldName('name')?.text ?? ''}`;
    if (isHidden(preamble)) return [];
    const { docs, deprecated } = readDocs(preamble);
    const line = lineOf(node) + scope.lineOffset;
    const place = docs === '' && deprecated === null ? 'block' : 'heading';
    if (node.type === 'enum_variant' || (node.type === 'field_declaration' && isPublic(node))) {
      const signature = `${cutSignature(scope.text, node.startIndex, node.endIndex)}${place === 'block' ? ',' : ''}`;
      const memberKind = node.type === 'enum_variant' ? 'variant' : 'field';
      return [declare({ name, kind: memberKind, signature, line, docs, deprecated, place })];
    }
    if (kind === 'trait' && node.type === 'macro_invocation')
      return readMembersInMacro(node, owner, scope, true);
    if (kind !== 'trait' || (ITEM_KINDS[node.type] === undefined && node.type !== 'associated_type'))
      return [];
    return [describeMember(node, preamble, owner, scope)];
  });
}

function describeMember(node: SyntaxNode, preamble: Preamble, owner: string, scope: Scope): Declaration {
  const { docs, deprecated } = readDocs(preamble);
  const kind = ITEM_KINDS[node.type] ?? 'type';
  const end = kind === 'function' ? node.childForFieldName('body') : null;
  return declare({
    name: `${owner}::${node.childForFieldName('name')?.text ?? ''}`,
    kind: kind === 'function' ? 'method' : kind,
    signature: dropEnd(readHead(node, scope.text, end), ';'),
    line: lineOf(node) + scope.lineOffset,
    docs,
    deprecated,
  });
}

function readMacro(node: SyntaxNode, preamble: Preamble, scope: Scope): Declaration {
  const name = node.childForFieldName('name')?.text ?? '';
  const { docs, deprecated } = readDocs(preamble);
  const rules = node.namedChildren
    .filter(({ type }) => type === 'macro_rule')
    .map((rule) => rule.childForFieldName('left')?.text ?? '')
    // Rules that begin with `@` are for the macro itself.
    .filter((left) => !/^[([{]\s*@/.test(left))
    .map((left) => `    ${left.replace(/\s+/g, ' ')} => { … };`);
  const signature = boundSignature(`macro_rules! ${name} {\n${rules.join('\n')}\n}`);
  return declare({ name, kind: 'macro', signature, line: lineOf(node) + scope.lineOffset, docs, deprecated });
}

function readModule(node: SyntaxNode, preamble: Preamble, parent: RustModule, scope: Scope): void {
  const name = node.childForFieldName('name')?.text ?? '';
  const isTest = preamble.attributes.some((attribute) => FOR_TESTS.test(attribute));
  if (name === '' || isTest || scope.depth >= LIMITS.nestingMax) return;
  const module = createModule([...parent.path, name], {
    isPublic: isPublic(node),
    isHidden: isHidden(preamble),
  });
  const known = parent.children.get(name);
  // Of modules for several targets the first stands for all.
  if (known !== undefined && (known.items.size > 0 || !module.isPublic)) return;
  parent.children.set(name, module);
  const { docs, deprecated } = readDocs(preamble);
  module.docs = docs;
  module.deprecated = deprecated;
  const body = node.childForFieldName('body');
  const inner = { ...scope, depth: scope.depth + 1, folder: `${scope.folder}${name}/` };
  if (body !== null) {
    readItems(body.namedChildren, module, inner);
    return;
  }
  const named = preamble.attributes
    .map((attribute) => /^#\[\s*path\s*=\s*"([^"]+)"/.exec(attribute)?.[1])
    .find(Boolean);
  const candidates =
    named === undefined
      ? [`${scope.folder}${name}.rs`, `${scope.folder}${name}/mod.rs`]
      : [`${scope.folder}${named}`];
  const path = candidates.find((candidate) => scope.crate.source.getText(candidate) !== null);
  if (path === undefined || scope.crate.files.has(path)) return;
  scope.crate.files.add(path);
  const folder = path.endsWith('/mod.rs') ? folderOf(path) : `${scope.folder}${name}/`;
  scope.crate.source.read(path, 'rust', (root, text) =>
    readItems(root.namedChildren, module, { ...inner, text, lineOffset: 0, folder }),
  );
}

/** Crates wrap items into macros such as `cfg_feature! { … }`: what is inside is read as items. */
function readItemsInMacro(node: SyntaxNode, module: RustModule, scope: Scope): void {
  const call = node.type === 'expression_statement' ? node.namedChildren[0] : node;
  const tokens = call?.namedChildren.find(({ type }) => type === 'token_tree');
  if (tokens === undefined || scope.depth >= LIMITS.nestingMax) return;
  const written = expandMacro(
    tokens.text,
    scope.crate.expansions.get(call?.childForFieldName('macro')?.text ?? ''),
  );
  if (!/\b(?:pub|impl|mod|macro_export)\b/.test(written)) return;
  const text = written.slice(1, -1);
  const lineOffset = scope.lineOffset + tokens.startPosition.row;
  scope.crate.source.readPart('rust', text, (root) =>
    readItems(root.namedChildren, module, { ...scope, text, lineOffset, depth: scope.depth + 1 }),
  );
}

/** A macro that is called with nothing, or with one item, stands for what its first rule writes; any other for what it is given. */
function expandMacro(tokens: string, rule: { left: string; right: string } | undefined): string {
  const inner = tokens.slice(1, -1);
  if (inner.trim() === '') return rule?.right ?? tokens;
  const item = /^[({[]\s*\$(\w+):item\s*[)}\]]$/.exec(rule?.left ?? '')?.[1];
  if (rule === undefined || item === undefined) return tokens;
  return rule.right.replaceAll(`$${item}`, () => inner);
}

function readImplementation(node: SyntaxNode, preamble: Preamble, module: RustModule, scope: Scope): void {
  const type = /(?:^|::)(\w+)\s*(?:<|$)/.exec(
    (node.childForFieldName('type')?.text ?? '').replace(/<[\s\S]*/, ''),
  )?.[1];
  if (type === undefined || isHidden(preamble)) return;
  const trait = node.childForFieldName('trait')?.text.replace(/\s+/g, ' ') ?? null;
  const members =
    trait !== null
      ? []
      : pairWithPreambles(node.childForFieldName('body')?.namedChildren ?? [], []).flatMap((pair) =>
          isPublic(pair.node) && !isHidden(pair.preamble) && ITEM_KINDS[pair.node.type] !== undefined
            ? [describeMember(pair.node, pair.preamble, type, scope)]
            : readMembersInMacro(pair.node, type, scope),
        );
  scope.crate.implementations.push({ type, trait, members, module });
}

/** In a trait every item is public without saying so. */
function readMembersInMacro(node: SyntaxNode, owner: string, scope: Scope, isTrait = false): Declaration[] {
  const tokens = node.namedChildren.find(({ type }) => type === 'token_tree');
  if (node.type !== 'macro_invocation' || tokens === undefined) return [];
  const text = tokens.text.slice(1, -1);
  if (!(isTrait ? /\bfn\b/ : /\bpub\b/).test(text)) return [];
  const inner = { ...scope, text, lineOffset: scope.lineOffset + tokens.startPosition.row };
  const read = (root: SyntaxNode): Declaration[] =>
    pairWithPreambles(root.namedChildren, []).flatMap((pair) =>
      (isTrait || isPublic(pair.node)) && !isHidden(pair.preamble) && ITEM_KINDS[pair.node.type] !== undefined
        ? [describeMember(pair.node, pair.preamble, owner, inner)]
        : [],
    );
  return scope.crate.source.readPart('rust', text, read) ?? [];
}

/** By the name of the type: in the module of the `impl`, else in the only module that has it. */
function attachImplementations(root: RustModule, implementations: readonly Implementation[]): void {
  const types = new Map<string, Declaration[]>();
  for (const module of listModules(root))
    for (const [name, items] of module.items)
      types.set(name, [
        ...(types.get(name) ?? []),
        ...items.filter(({ kind }) => kind !== 'function' && kind !== 'macro'),
      ]);
  const traits = new Map<Declaration, Set<string>>();
  for (const { type, trait, members, module } of implementations) {
    const everywhere = types.get(type) ?? [];
    const here = module.items.get(type)?.find(({ kind }) => kind !== 'function' && kind !== 'macro');
    const near = everywhere.length === 1 ? everywhere[0] : undefined;
    const owner = here ?? near;
    if (owner === undefined) continue;
    owner.members.push(...members);
    if (trait !== null) traits.set(owner, (traits.get(owner) ?? new Set()).add(trait));
  }
  for (const [owner, names] of traits) {
    const line = `Implements ${[...names]
      .sort()
      .map((name) => `\`${name}\``)
      .join(', ')}.`;
    owner.docs = owner.docs === '' ? line : `${owner.docs}\n\n${line}`;
  }
}

function listModules(root: RustModule): RustModule[] {
  return [root, ...[...root.children.values()].flatMap(listModules)];
}

function readUses(node: SyntaxNode, isHiddenUse: boolean): Use[] {
  const argument = node.childForFieldName('argument');
  return argument === null ? [] : listUses(argument, [], isHiddenUse, 0);
}

function listUses(node: SyntaxNode, prefix: readonly string[], isHiddenUse: boolean, depth: number): Use[] {
  if (depth > LIMITS.nestingMax) return [];
  const read = (path: SyntaxNode | null | undefined): string[] => [
    ...prefix,
    ...(path?.text ?? '')
      .split('::')
      .map((part) => part.trim().replace(/^r#/, ''))
      .filter((part) => part !== ''),
  ];
  switch (node.type) {
    case 'use_as_clause': {
      const alias = node.childForFieldName('alias')?.text ?? '_';
      return alias === '_'
        ? []
        : [{ path: read(node.childForFieldName('path')), name: alias, isHidden: isHiddenUse }];
    }
    case 'use_wildcard':
      return [{ path: read(node.namedChildren[0]), name: '*', isHidden: isHiddenUse }];
    case 'scoped_use_list':
    case 'use_list': {
      const list = node.type === 'use_list' ? node : node.childForFieldName('list');
      const inner = node.type === 'use_list' ? prefix : read(node.childForFieldName('path'));
      return (list?.namedChildren ?? []).flatMap((child) => listUses(child, inner, isHiddenUse, depth + 1));
    }
    case 'line_comment':
    case 'block_comment':
      return [];
    default: {
      const path = read(node);
      const last = path.at(-1);
      if (last === undefined) return [];
      const own = last === 'self' ? path.slice(0, -1) : path;
      return [{ path: own, name: own.at(-1) ?? '', isHidden: isHiddenUse }];
    }
  }
}

type Target =
  | { module: RustModule; items: Declaration[]; name: string }
  | { module: RustModule; items: null };

/** Follows a path of `use` from a module; null where it leaves the crate. */
function resolvePath(
  root: RustModule,
  from: RustModule,
  path: readonly string[],
  crateName: string,
  trail: Trail = { steps: 0 },
): Target | null {
  if (!canGoOn(trail)) return null;
  let module: RustModule | undefined = from;
  let rest = path;
  const [first = ''] = path;
  if (first === 'crate' || first === crateName) [module, rest] = [root, path.slice(1)];
  else if (first === 'self') rest = path.slice(1);
  else if (first === 'super') {
    while (rest[0] === 'super') {
      module = findModule(root, (module ?? root).path.slice(0, -1));
      rest = rest.slice(1);
    }
  } else if (!from.children.has(first) && !from.items.has(first) && root.children.has(first)) module = root;
  for (const [index, segment] of rest.entries()) {
    if (module === undefined) return null;
    const child: RustModule | undefined = module.children.get(segment);
    const isLast = index === rest.length - 1;
    const items = module.items.get(segment);
    if (isLast && items !== undefined) return { module, items, name: segment };
    // A private module may have the name of an item that is exported beside it: `mod spawn; pub use spawn::spawn;`.
    const isShadowed: boolean =
      isLast && child?.isPublic === false && module.uses.some(({ name }) => name === segment);
    if (child !== undefined && !isShadowed) {
      module = child;
      continue;
    }
    if (items !== undefined) return null;
    const use: Use | undefined = module.uses.find(({ name }) => name === segment);
    const globs: Use[] = use === undefined ? module.uses.filter(({ name }) => name === '*') : [];
    const here: RustModule = module;
    const next: readonly string[][] =
      use === undefined ? globs.map((glob) => [...glob.path, segment]) : [[...use.path]];
    for (const candidate of next) {
      if (!canGoOn(trail)) break;
      if (candidate.join('::') === path.join('::') && here === from) continue;
      const target = resolvePath(root, here, [...candidate, ...rest.slice(index + 1)], crateName, trail);
      if (target !== null) return target;
    }
    return null;
  }
  return module === undefined ? null : { module, items: null };
}

function findModule(root: RustModule, path: readonly string[]): RustModule | undefined {
  return path.reduce<RustModule | undefined>((module, segment) => module?.children.get(segment), root);
}

/** An item at a public path: the one where it is declared, or that of a `pub use`. */
type Exported = { items: readonly Declaration[]; name: string; isOwn: boolean };

/** Where the names of a crate lead; each `use` is followed once. */
type CrateNames = { root: RustModule; crateName: string; targets: Map<Use, Target | null> };

function resolveUse({ root, crateName, targets }: CrateNames, module: RustModule, use: Use): Target | null {
  const known = targets.get(use);
  if (known !== undefined) return known;
  const target = use.isHidden ? null : resolvePath(root, module, use.path, crateName);
  targets.set(use, target);
  return target;
}

function writeModules(root: RustModule, crateName: string): ApiModule[] {
  const nameOf = ({ path }: { path: readonly string[] }): string => [crateName, ...path].join('::');
  const documented = new Map<Declaration, string>();
  const names: CrateNames = { root, crateName, targets: new Map() };
  const reachable = listReachable(names);
  const exported = reachable.map(({ module, path }) => ({
    path,
    module,
    exports: listExports(names, module),
  }));
  // First what is declared at a public path, then what only `pub use` makes public, the shortest path first.
  for (const { path, exports } of exported)
    for (const { items, isOwn } of exports)
      if (isOwn) for (const item of items) documented.set(item, nameOf({ path }));
  for (const { path, exports } of exported.toSorted((one, other) => one.path.length - other.path.length))
    for (const { items } of exports)
      for (const item of items) if (!documented.has(item)) documented.set(item, nameOf({ path }));
  return exported.map(({ path, module, exports }) => ({
    name: nameOf({ path }),
    language: 'rust',
    docs: module.docs,
    deprecated: module.deprecated,
    declarations: [
      ...exports.flatMap(({ items, name }) =>
        items.map((item) => {
          const home = documented.get(item) ?? null;
          const qualified = `${nameOf({ path })}::${name}${item.kind === 'macro' ? '!' : ''}`;
          if (home === nameOf({ path })) return { ...item, name: qualified };
          return {
            ...item,
            name: qualified,
            docs: firstParagraph(item.docs),
            members: [],
            documentedIn: home,
          };
        }),
      ),
      ...listForeign(names, module, nameOf({ path })),
    ],
  }));
}

function firstParagraph(docs: string): string {
  const [first = ''] = docs.split('\n\n');
  return first.startsWith('```') || first.startsWith('Implements ') ? '' : first;
}

/** Modules that callers can name, each once, at its shortest path: declared public, or exported again. */
function listReachable(names: CrateNames): { module: RustModule; path: readonly string[] }[] {
  const found = new Map<RustModule, readonly string[]>([[names.root, []]]);
  const queue: RustModule[] = [names.root];
  for (let module = queue.shift(); module !== undefined; module = queue.shift()) {
    const path = found.get(module) ?? [];
    const children = [...module.children].filter(([, child]) => child.isPublic && !child.isHidden);
    const used = module.uses.flatMap((use) => {
      if (use.name === '*') return [];
      const resolved = resolveUse(names, module, use);
      return resolved !== null && resolved.items === null && resolved.module.isPublic
        ? [[use.name, resolved.module] as const]
        : [];
    });
    for (const [name, child] of [...children, ...used]) {
      if (found.has(child) || path.length >= LIMITS.nestingMax) continue;
      found.set(child, [...path, name]);
      queue.push(child);
    }
  }
  return [...found].map(([module, path]) => ({ module, path }));
}

function listExports(names: CrateNames, module: RustModule): Exported[] {
  const exports: Exported[] = [...module.items].map(([name, items]) => ({ items, name, isOwn: true }));
  const known = new Set(module.items.keys());
  const visited = new Set([module]);
  for (const use of module.uses) {
    const target = resolveUse(names, module, use);
    if (target === null) continue;
    const { name } = use;
    if (name === '*' && target.items === null) {
      for (const [own, items] of collectGlob(names, target.module, visited))
        if (!known.has(own)) {
          known.add(own);
          exports.push({ items, name: own, isOwn: false });
        }
    } else if (name !== '*' && target.items !== null && !known.has(name)) {
      known.add(name);
      exports.push({ items: target.items, name, isOwn: false });
    }
  }
  return exports;
}

/** The names that `use module::*` brings, also those that the module has from elsewhere. */
function collectGlob(
  names: CrateNames,
  module: RustModule,
  visited: Set<RustModule>,
): Map<string, readonly Declaration[]> {
  const found = new Map<string, readonly Declaration[]>(module.items);
  if (visited.has(module) || visited.size > LIMITS.stepsMax) return found;
  visited.add(module);
  for (const use of module.uses) {
    const target = resolveUse(names, module, use);
    if (target === null) continue;
    if (target.items !== null) found.set(use.name, target.items);
    else if (use.name === '*')
      for (const [own, items] of collectGlob(names, target.module, visited))
        if (!found.has(own)) found.set(own, items);
  }
  return found;
}

/** Names of other crates are told, not followed. */
function listForeign(names: CrateNames, module: RustModule, moduleName: string): Declaration[] {
  return module.uses
    .filter((use) => !use.isHidden && use.name !== '*' && resolveUse(names, module, use) === null)
    .filter(({ path }) => !['crate', 'self', 'super', 'std', 'core', 'alloc'].includes(path[0] ?? ''))
    .map(({ name, path }) =>
      declare({
        name: `${moduleName}::${name}`,
        kind: 're-export',
        signature: `pub use ${path.join('::')}${path.at(-1) === name ? '' : ` as ${name}`}`,
        line: 1,
      }),
    );
}
