import { type Declaration, declare } from '../api-module.ts';
import { convertDocstring } from '../comments/docstring.ts';
import type { SyntaxNode } from '../open-grammars.ts';
import { boundSignature, cutSignature, LIMITS, lineOf } from '../source-reader.ts';

/** What one file says; names are those of the module, without what its conditions rule out. */
export type PythonFile = {
  docs: string;
  deprecated: string | null;
  names: Map<string, Declaration[]>;
  /** By local name; `name` is null where the module itself is imported. */
  imports: Map<string, { module: string; name: string | null; isExported: boolean }>;
  /** Modules whose names are all imported. */
  stars: string[];
  /** `__all__`: names, and local names of modules whose own `__all__` is added; null without one that can be read. */
  all: { names: string[]; modules: string[] } | null;
};

type Place = { module: string; isPackage: boolean };

const BLOCKS = new Set([
  'if_statement',
  'try_statement',
  'else_clause',
  'elif_clause',
  'except_clause',
  'finally_clause',
  'with_statement',
  'block',
]);
/** Decorators that change how a name is used. */
const SHOWN_DECORATOR =
  /^@(?:[\w.]*\b)?(?:property|cached_property|classmethod|staticmethod|abstractmethod|overload|dataclass|final|contextmanager|asynccontextmanager|setter|deprecated|singledispatch)\b/;
/** Values that are no part of an interface. */
const INTERNAL_VALUE =
  /^(?:(?:typing\.|t\.|te\.)?(?:TypeVar|ParamSpec|TypeVarTuple)\(|(?:logging\.)?getLogger\()/;
const VALUE_CHARS_MAX = 120;

export function readPythonFile(root: SyntaxNode, text: string, place: Place): PythonFile {
  const { docs, deprecated } = readDocstring(root.namedChildren);
  const file: PythonFile = {
    docs,
    deprecated,
    names: new Map(),
    imports: new Map(),
    stars: [],
    all: null,
  };
  readStatements(root.namedChildren, file, { text, place, depth: 0 });
  return file;
}

type Scope = { text: string; place: Place; depth: number };

function readStatements(nodes: readonly SyntaxNode[], file: PythonFile, scope: Scope): void {
  for (const [index, node] of nodes.entries()) {
    if (node.type === 'import_from_statement') readImportFrom(node, file, scope.place);
    else if (node.type === 'import_statement') readImport(node, file);
    else if (BLOCKS.has(node.type)) {
      const inner = node.namedChildren.filter(({ type }) => BLOCKS.has(type));
      if (scope.depth < LIMITS.nestingMax)
        readStatements(node.type === 'block' ? node.namedChildren : inner, file, {
          ...scope,
          depth: scope.depth + 1,
        });
    } else if (node.type === 'expression_statement' && /^__all__\b/.test(node.text)) readAll(node, file);
    else
      for (const found of readDefinition(node, nodes[index + 1], '', scope))
        addName(file, found, scope.depth);
  }
}

/** Overloads and the setter of a property belong together; of other branches the first counts. */
function addName(file: PythonFile, found: Declaration, depth: number): void {
  const known = file.names.get(found.name);
  if (known === undefined) file.names.set(found.name, [found]);
  else if (known.length < LIMITS.overloadsMax && known.some(isOverload) && depth === 0) known.push(found);
  else if (depth === 0 && found.kind !== 'variable' && found.kind !== 'constant')
    file.names.set(found.name, [found]);
}

const isOverload = ({ signature }: Declaration): boolean => /^@(?:\w+\.)?overload$/m.test(signature);

function readImportFrom(node: SyntaxNode, file: PythonFile, place: Place): void {
  const source = resolveModule(node.childForFieldName('module_name')?.text.replace(/\s/g, '') ?? '', place);
  if (node.namedChildren.some(({ type }) => type === 'wildcard_import')) file.stars.push(source);
  for (const item of node.childrenForFieldName('name')) {
    const name = item.childForFieldName('name')?.text ?? item.text;
    const alias = item.childForFieldName('alias')?.text;
    // Typing rules: an import under its own name is an export.
    file.imports.set(alias ?? name, { module: source, name, isExported: alias === name });
  }
}

function resolveModule(written: string, { module, isPackage }: Place): string {
  const dots = /^\.*/.exec(written)?.[0].length ?? 0;
  if (dots === 0) return written;
  const parts = module.split('.');
  const base = parts.slice(0, parts.length - (dots - (isPackage ? 1 : 0)));
  return [...base, written.slice(dots)].filter((part) => part !== '').join('.');
}

function readImport(node: SyntaxNode, file: PythonFile): void {
  for (const item of node.childrenForFieldName('name')) {
    const alias = item.childForFieldName('alias')?.text;
    const name = item.childForFieldName('name')?.text ?? item.text;
    if (alias !== undefined) file.imports.set(alias, { module: name, name: null, isExported: false });
  }
}

/** Reads `__all__ = […]`, `+=`, `.extend(…)` and `.append(…)`, with `other.__all__` or its imported name in any of them. */
function readAll(statement: SyntaxNode, file: PythonFile): void {
  const [expression] = statement.namedChildren;
  if (expression === undefined) return;
  const all = file.all ?? { names: [], modules: [] };
  const value =
    expression.type === 'call'
      ? expression.childForFieldName('arguments')
      : expression.childForFieldName('right');
  if (value === null) return;
  if (expression.type === 'call' && /\.remove$/.test(expression.childForFieldName('function')?.text ?? '')) {
    const removed = new Set(listStrings(value, 0));
    all.names = all.names.filter((name) => !removed.has(name));
  } else all.names.push(...listStrings(value, 0));
  for (const [, module = ''] of value.text.matchAll(/\b(\w+)\.__all__\b/g)) all.modules.push(module);
  for (const [name] of value.text.matchAll(/\b[A-Za-z_]\w*\b/g))
    if (file.imports.get(name)?.name === '__all__') all.modules.push(name);
  if (all.names.length + all.modules.length > 0) file.all = all;
}

function listStrings(node: SyntaxNode, depth: number): string[] {
  if (node.type === 'string') return [readString(node)];
  if (depth > LIMITS.nestingMax || /comprehension|subscript|generator/.test(node.type)) return [];
  return node.namedChildren.flatMap((child) => listStrings(child, depth + 1));
}

function readString(node: SyntaxNode): string {
  const [begin] = node.namedChildren;
  const content = node.namedChildren
    .filter(({ type }) => type === 'string_content' || type === 'interpolation')
    .map(({ text }) => text)
    .join('');
  if (/^[^'"]*r/i.test(begin?.text ?? '')) return content;
  return content.replace(/\\(?:\n|([\\'"nt]))/g, (_, escaped: string | undefined) =>
    escaped === 'n' ? '\n' : escaped === 't' ? '\t' : (escaped ?? ''),
  );
}

function readDocstring(nodes: readonly SyntaxNode[]): { docs: string; deprecated: string | null } {
  const string = readBareString(nodes.find(({ type }) => type !== 'comment'));
  return string === null ? { docs: '', deprecated: null } : convertDocstring(string);
}

/** A statement that is nothing but a string. */
function readBareString(node: SyntaxNode | undefined): string | null {
  if (node?.type !== 'expression_statement') return null;
  const [value] = node.namedChildren;
  if (value?.type === 'string') return readString(value);
  if (value?.type !== 'concatenated_string') return null;
  return value.namedChildren
    .filter(({ type }) => type === 'string')
    .map(readString)
    .join('');
}

function readDefinition(
  node: SyntaxNode,
  next: SyntaxNode | undefined,
  owner: string,
  scope: Scope,
): Declaration[] {
  const definition = node.type === 'decorated_definition' ? node.childForFieldName('definition') : node;
  if (definition?.type === 'function_definition') return [readFunction(node, definition, owner, scope)];
  if (definition?.type === 'class_definition') return readClass(node, definition, owner, scope);
  if (node.type === 'type_alias_statement') {
    const name = /^\w+/.exec(node.childForFieldName('left')?.text ?? '')?.[0] ?? '';
    const signature = boundSignature(node.text);
    return [declare({ name: qualify(owner, name), kind: 'type', signature, line: lineOf(node) })];
  }
  return node.type === 'expression_statement' ? readAssignment(node, next, owner) : [];
}

const qualify = (owner: string, name: string): string => (owner === '' ? name : `${owner}.${name}`);

/** The decorators that matter, and the text up to the body, without the colon. */
function readSignature(
  outer: SyntaxNode,
  definition: SyntaxNode,
  { text }: Scope,
): { signature: string; decorators: string[] } {
  const decorators = outer.namedChildren
    .filter(({ type }) => type === 'decorator')
    .map(({ text: decorator }) => decorator.trim());
  const body = definition.childForFieldName('body');
  // A comment between the colon and the body is outside both.
  const end =
    [...definition.children].reverse().find(({ type }) => type === ':')?.startIndex ??
    body?.startIndex ??
    definition.endIndex;
  const head = cutSignature(text, definition.startIndex, end).replace(/:\s*$/, '');
  const shown = decorators
    .filter((decorator) => SHOWN_DECORATOR.test(decorator))
    .map((decorator) => boundSignature(decorator));
  return { signature: [...shown, head].join('\n'), decorators };
}

function findDeprecation(decorators: readonly string[]): string | null {
  const found = decorators.find((decorator) => /^@[\w.]*deprecated\b/.test(decorator));
  if (found === undefined) return null;
  return /\(\s*(?:\w+\s*=\s*)?(?:"([^"]*)"|'([^']*)')/.exec(found)?.slice(1).find(Boolean) ?? '';
}

function readFunction(outer: SyntaxNode, definition: SyntaxNode, owner: string, scope: Scope): Declaration {
  const { signature, decorators } = readSignature(outer, definition, scope);
  const { docs, deprecated } = readDocstring(definition.childForFieldName('body')?.namedChildren ?? []);
  const isProperty = decorators.some((decorator) => /\bproperty\b|_property\b/.test(decorator));
  return declare({
    name: qualify(owner, definition.childForFieldName('name')?.text ?? ''),
    kind: isProperty ? 'property' : owner === '' ? 'function' : 'method',
    signature,
    line: lineOf(definition),
    docs,
    deprecated: deprecated ?? findDeprecation(decorators),
  });
}

function readClass(outer: SyntaxNode, definition: SyntaxNode, owner: string, scope: Scope): Declaration[] {
  if (scope.depth > LIMITS.nestingMax) return [];
  const { signature, decorators } = readSignature(outer, definition, scope);
  const statements = definition.childForFieldName('body')?.namedChildren ?? [];
  const { docs, deprecated } = readDocstring(statements);
  const name = qualify(owner, definition.childForFieldName('name')?.text ?? '');
  return [
    declare({
      name,
      kind: 'class',
      signature,
      line: lineOf(definition),
      docs,
      deprecated: deprecated ?? findDeprecation(decorators),
      members: readMembers(statements, name, { ...scope, depth: scope.depth + 1 }),
    }),
  ];
}

function readMembers(statements: readonly SyntaxNode[], owner: string, scope: Scope): Declaration[] {
  const members: Declaration[] = [];
  for (const [index, statement] of statements.entries()) {
    if (BLOCKS.has(statement.type)) {
      if (scope.depth > LIMITS.nestingMax) continue;
      const inner =
        statement.type === 'block'
          ? statement.namedChildren
          : statement.namedChildren.filter(({ type }) => BLOCKS.has(type));
      members.push(...readMembers(inner, owner, { ...scope, depth: scope.depth + 1 }));
      continue;
    }
    members.push(...readDefinition(statement, statements[index + 1], owner, scope).filter(isPublicMember));
  }
  // A property's setter repeats its name; so do branches for several versions.
  const known = new Set<string>();
  return members.filter((member) => {
    if (isOverload(member)) return true;
    const isNew = !known.has(member.name);
    known.add(member.name);
    return isNew && !/^@\w+\.(?:setter|deleter)/m.test(member.signature);
  });
}

/** `__init__` tells how an instance is made; other special methods count where they are documented. */
function isPublicMember({ name, docs }: Declaration): boolean {
  const own = name.slice(name.lastIndexOf('.') + 1);
  if (!own.startsWith('_')) return true;
  return own === '__init__' || (/^__\w+__$/.test(own) && docs !== '');
}

function readAssignment(node: SyntaxNode, next: SyntaxNode | undefined, owner: string): Declaration[] {
  const [assignment] = node.namedChildren;
  if (assignment?.type !== 'assignment') return [];
  const target = assignment.childForFieldName('left');
  const value = assignment.childForFieldName('right');
  if (target?.type !== 'identifier' || INTERNAL_VALUE.test(value?.text ?? '')) return [];
  const comment = readBareString(next);
  const { docs, deprecated } = comment === null ? { docs: '', deprecated: null } : convertDocstring(comment);
  const isShort = assignment.text.length <= VALUE_CHARS_MAX && !assignment.text.includes('\n');
  const type = assignment.childForFieldName('type')?.text;
  const signature = isShort ? assignment.text : type === undefined ? target.text : `${target.text}: ${type}`;
  return [
    declare({
      name: qualify(owner, target.text),
      kind: owner !== '' ? 'attribute' : /^[A-Z][A-Z\d_]*$/.test(target.text) ? 'constant' : 'variable',
      signature: boundSignature(signature),
      line: lineOf(node),
      docs,
      deprecated,
      place: docs === '' ? 'block' : 'heading',
    }),
  ];
}
