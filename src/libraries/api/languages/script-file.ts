/** Reads one file in TypeScript or of JavaScript modules: what it declares, imports and exports, without following any name. */

import { type Declaration, declare } from '../api-module.ts';
import type { Comment } from '../comments/markdown-comment.ts';
import { convertTsdoc } from '../comments/tsdoc.ts';
import type { SyntaxNode } from '../open-grammars.ts';
import { boundSignature, dropEnd, LIMITS, lineOf, readHead } from '../source-reader.ts';

/** The names of a file, a namespace or an ambient module. */
export type ScriptScope = {
  docs: string;
  /** Several where a name is overloaded or merged. */
  names: Map<string, Declaration[]>;
  namespaces: Map<string, ScriptScope[]>;
  /** `imported` is `*` for the whole file. */
  imports: Map<string, { source: string; imported: string }>;
  /** `import A = B.C`. */
  aliases: Map<string, string>;
  exports: { name: string; local: string }[];
  exportsFrom: { name: string; source: string; imported: string }[];
  stars: string[];
  /** `export = x`. */
  assigned: string | null;
  hasExportList: boolean;
  isModule: boolean;
  ambientModules: Map<string, ScriptScope>;
  /** Paths of `/// <reference path="…" />`. */
  references: string[];
};

function createScope(): ScriptScope {
  return {
    docs: '',
    names: new Map(),
    namespaces: new Map(),
    imports: new Map(),
    aliases: new Map(),
    exports: [],
    exportsFrom: [],
    stars: [],
    assigned: null,
    hasExportList: false,
    isModule: false,
    ambientModules: new Map(),
    references: [],
  };
}

type Reading = { text: string; language: 'ts' | 'js'; depth: number };

export function readScriptFile(root: SyntaxNode, text: string): ScriptScope {
  return readScript(root, text, 'ts');
}

export function readScript(root: SyntaxNode, text: string, language: 'ts' | 'js'): ScriptScope {
  const scope = createScope();
  for (const [, path = ''] of text
    .slice(0, 20_000)
    .matchAll(/^\/\/\/ *<reference +path=["']([^"'\n]+)["']/gm))
    scope.references.push(path);
  scope.docs = readFileComment(root, language);
  readStatements(root.namedChildren, scope, { text, language, depth: 0 });
  // A script that declares nothing as exported offers all its names.
  if (!scope.isModule && language === 'ts')
    for (const name of scope.names.keys()) scope.exports.push({ name, local: name });
  return scope;
}

/** A comment with `@packageDocumentation`, `@module` or `@file` describes the file. */
function readFileComment(root: SyntaxNode, language: string): string {
  const comment = root.namedChildren
    .slice(0, 5)
    .find(
      ({ type, text }) =>
        type === 'comment' && /^\/\*\*[\s\S]*@(?:packageDocumentation|module|file|fileoverview)\b/.test(text),
    );
  return comment === undefined ? '' : convertTsdoc(comment.text, language).docs;
}

const NO_COMMENT: Comment = { docs: '', deprecated: null, isInternal: false };

/** Pairs each node with the comment before it. */
export function pairWithComments(nodes: readonly SyntaxNode[]): { node: SyntaxNode; comment: string }[] {
  const pairs: { node: SyntaxNode; comment: string }[] = [];
  let comment = '';
  for (const node of nodes) {
    if (node.type === 'comment') {
      const { text } = node;
      if (/^\/\*\*(?!\/)/.test(text) && !/@(?:packageDocumentation|module|file|fileoverview)\b/.test(text))
        comment = text;
    } else if (node.type !== 'decorator') {
      pairs.push({ node, comment });
      comment = '';
    }
  }
  return pairs;
}

function readStatements(nodes: readonly SyntaxNode[], scope: ScriptScope, reading: Reading): void {
  for (const { node, comment } of pairWithComments(nodes)) readStatement(node, comment, scope, reading);
}

function readStatement(node: SyntaxNode, comment: string, scope: ScriptScope, reading: Reading): void {
  switch (node.type) {
    case 'import_statement':
      scope.isModule = true;
      readImport(node, scope);
      return;
    case 'import_alias': {
      const [name, target] = node.namedChildren;
      if (name !== undefined && target !== undefined)
        scope.aliases.set(name.text, target.text.replace(/\s/g, ''));
      return;
    }
    case 'export_statement':
      scope.isModule = true;
      readExport(node, comment, scope, reading);
      return;
    case 'ambient_declaration':
    case 'expression_statement': {
      const [inner] = node.namedChildren.filter(({ type }) => type !== 'comment');
      // `declare global` adds to what is not of this package.
      if (inner !== undefined && inner.type !== 'statement_block')
        readDeclaration(inner, comment, scope, reading);
      return;
    }
    default:
      readDeclaration(node, comment, scope, reading);
  }
}

function readSource(node: SyntaxNode): string | null {
  const source = node.childForFieldName('source');
  return source === null ? null : source.text.slice(1, -1);
}

function readImport(node: SyntaxNode, scope: ScriptScope): void {
  const required = node.namedChildren.find(({ type }) => type === 'import_require_clause');
  const source = readSource(required ?? node);
  if (source === null) return;
  const name = required?.namedChildren[0]?.text;
  if (name !== undefined) scope.imports.set(name, { source, imported: '*' });
  const clause = node.namedChildren.find(({ type }) => type === 'import_clause');
  for (const part of clause?.namedChildren ?? []) {
    if (part.type === 'identifier') scope.imports.set(part.text, { source, imported: 'default' });
    else if (part.type === 'namespace_import')
      scope.imports.set(part.namedChildren[0]?.text ?? '', { source, imported: '*' });
    else if (part.type === 'named_imports')
      for (const specifier of part.namedChildren) {
        const imported = specifier.childForFieldName('name')?.text ?? '';
        scope.imports.set(specifier.childForFieldName('alias')?.text ?? imported, { source, imported });
      }
  }
}

function readExport(node: SyntaxNode, comment: string, scope: ScriptScope, reading: Reading): void {
  const source = readSource(node);
  const clause = node.namedChildren.find(({ type }) => type === 'export_clause');
  const namespace = node.namedChildren.find(({ type }) => type === 'namespace_export');
  const words = new Set(node.children.filter(({ isNamed }) => !isNamed).map(({ type }) => type));
  if (clause !== undefined) {
    scope.hasExportList = true;
    for (const specifier of clause.namedChildren) {
      const local = specifier.childForFieldName('name')?.text ?? '';
      const name = specifier.childForFieldName('alias')?.text ?? local;
      if (source === null) scope.exports.push({ name, local });
      else scope.exportsFrom.push({ name, source, imported: local });
    }
  } else if (namespace !== undefined && source !== null)
    scope.exportsFrom.push({ name: namespace.namedChildren[0]?.text ?? '', source, imported: '*' });
  else if (words.has('*') && source !== null) scope.stars.push(source);
  else if (words.has('='))
    scope.assigned =
      node.namedChildren.find(({ type }) => type !== 'comment')?.text.replace(/\s/g, '') ?? null;
  else if (!words.has('namespace') || node.childForFieldName('declaration') !== null)
    readExportedDeclaration(node, comment, scope, { ...reading, isDefault: words.has('default') });
}

function readExportedDeclaration(
  node: SyntaxNode,
  comment: string,
  scope: ScriptScope,
  { isDefault, ...reading }: Reading & { isDefault: boolean },
): void {
  const declaration =
    node.childForFieldName('declaration') ??
    node.childForFieldName('value') ??
    node.namedChildren.find(({ type }) => type !== 'comment' && type !== 'decorator');
  if (declaration === undefined) return;
  if (isDefault && /^(?:identifier|member_expression|nested_identifier)$/.test(declaration.type)) {
    scope.exports.push({ name: 'default', local: declaration.text });
    return;
  }
  if (declaration.type === 'import_alias') {
    readStatement(declaration, comment, scope, reading);
    const name = declaration.namedChildren[0]?.text ?? '';
    scope.exports.push({ name, local: name });
    return;
  }
  const inner =
    declaration.type === 'ambient_declaration' ? (declaration.namedChildren[0] ?? declaration) : declaration;
  for (const name of readDeclaration(inner, comment, scope, reading))
    scope.exports.push({ name: isDefault ? 'default' : name, local: name });
}

const TYPE_KINDS: Record<string, string> = {
  class_declaration: 'class',
  abstract_class_declaration: 'class',
  class: 'class',
  interface_declaration: 'interface',
  enum_declaration: 'enum',
};
const FUNCTIONS =
  /^(?:function_signature|function_declaration|generator_function_declaration|function_expression|arrow_function|generator_function)$/;

/** Files a declaration under its names and returns these. */
function readDeclaration(node: SyntaxNode, comment: string, scope: ScriptScope, reading: Reading): string[] {
  if (node.type === 'internal_module' || node.type === 'module') return readNamespace(node, scope, reading);
  const { docs, deprecated, isInternal } =
    comment === '' ? NO_COMMENT : convertTsdoc(comment, reading.language);
  if (isInternal) return [];
  const line = lineOf(node);
  const described = { docs, deprecated, line };
  const name = node.childForFieldName('name')?.text ?? 'default';
  const kind = TYPE_KINDS[node.type];
  if (kind !== undefined) {
    const body = node.childForFieldName('body');
    const members = body === null ? [] : readMembers(body, name, reading);
    const signature = cutHead(node, body, reading);
    return addName(scope, declare({ ...described, name, kind, signature, members }));
  }
  if (FUNCTIONS.test(node.type)) {
    const signature = cutHead(node, node.childForFieldName('body'), reading);
    return addName(scope, declare({ ...described, name, kind: 'function', signature }));
  }
  if (node.type === 'type_alias_declaration') {
    const signature = cutHead(node, null, reading);
    return addName(scope, declare({ ...described, name, kind: 'type', signature }));
  }
  if (node.type !== 'lexical_declaration' && node.type !== 'variable_declaration') return [];
  const word = /^\w+/.exec(node.text)?.[0] ?? 'const';
  return node.namedChildren
    .filter(({ type }) => type === 'variable_declarator')
    .flatMap((declarator) => addName(scope, describeVariable(declarator, word, described, reading)));
}

function addName(scope: ScriptScope, declaration: Declaration): string[] {
  const known = scope.names.get(declaration.name);
  if (known === undefined) scope.names.set(declaration.name, [declaration]);
  else if (known.length < LIMITS.overloadsMax) known.push(declaration);
  return [declaration.name];
}

function cutHead(node: SyntaxNode, body: SyntaxNode | null, { text }: Reading): string {
  return dropEnd(readHead(node, text, body), ';', '=>', '=');
}

function describeVariable(
  declarator: SyntaxNode,
  word: string,
  described: Pick<Declaration, 'docs' | 'deprecated' | 'line'>,
  reading: Reading,
): Declaration {
  const name = declarator.childForFieldName('name')?.text ?? '';
  const value = declarator.childForFieldName('value');
  const isFunction = value !== null && FUNCTIONS.test(value.type);
  const isShort = value === null || (value.text.length < 120 && !value.text.includes('\n'));
  const body = isFunction ? (value.childForFieldName('body') ?? null) : isShort ? null : value;
  const signature = `${word} ${cutHead(declarator, body, reading)}`;
  return declare({
    ...described,
    name,
    kind: isFunction ? 'function' : word === 'const' ? 'constant' : 'variable',
    signature,
  });
}

/** `namespace A.B { … }` is a namespace in a namespace. */
function readNamespace(node: SyntaxNode, scope: ScriptScope, reading: Reading): string[] {
  const name = node.childForFieldName('name');
  const body = node.childForFieldName('body');
  if (name === null || reading.depth >= LIMITS.nestingMax) return [];
  const inner = createScope();
  readStatements(body?.namedChildren ?? [], inner, { ...reading, depth: reading.depth + 1 });
  if (name.type === 'string') {
    scope.ambientModules.set(name.text.slice(1, -1), inner);
    return [];
  }
  const [first = '', ...rest] = name.text.replace(/\s/g, '').split('.').slice(0, LIMITS.nestingMax);
  const outermost = rest.reduceRight<ScriptScope>((content, part) => {
    const around = createScope();
    around.namespaces.set(part, [content]);
    return around;
  }, inner);
  const known = scope.namespaces.get(first);
  if (known === undefined) scope.namespaces.set(first, [outermost]);
  else if (known.length < LIMITS.overloadsMax) known.push(outermost);
  return [first];
}

const METHODS = /^(?:method_signature|abstract_method_signature|method_definition)$/;
const UNNAMED = /^(?:call_signature|construct_signature|index_signature)$/;

/** The members of a class, interface or enumeration. */
export function readMembers(body: SyntaxNode, owner: string, reading: Reading): Declaration[] {
  return pairWithComments(body.namedChildren).flatMap(({ node, comment }) => {
    const { docs, deprecated, isInternal } =
      comment === '' ? NO_COMMENT : convertTsdoc(comment, reading.language);
    const name =
      node.childForFieldName('name') ??
      node.childForFieldName('property') ??
      (node.type === 'property_identifier' ? node : null);
    if (
      isInternal ||
      /^(?:private|#)/.test(node.text) ||
      node.namedChildren.some(({ type, text }) => type === 'accessibility_modifier' && text === 'private')
    )
      return [];
    const isMethod = METHODS.test(node.type);
    const isCallable = node.childForFieldName('type')?.namedChildren[0]?.type === 'function_type';
    const described = { line: lineOf(node), docs, deprecated };
    if (UNNAMED.test(node.type)) {
      const text = cutHead(node, null, reading);
      const signature =
        comment === '' ? text : `${boundSignature(comment.replace(/\n[ \t]*\*/g, '\n *'))}\n${text}`;
      return [declare({ ...described, docs: '', name: owner, kind: 'signature', signature, place: 'block' })];
    }
    if (name === null) return [];
    const value = node.childForFieldName('value');
    const isLong = value !== null && (value.text.length > 120 || value.text.includes('\n'));
    const signature = cutHead(
      node,
      isMethod ? node.childForFieldName('body') : isLong ? value : null,
      reading,
    );
    const isAccessor = node.children.some(({ type }) => type === 'get' || type === 'set');
    const kind =
      isMethod && !isAccessor ? (name.text === 'constructor' ? 'constructor' : 'method') : 'property';
    const isPlain = kind === 'property' && !isCallable && docs === '' && deprecated === null;
    const own = name.text.replace(/^(['"])(.*)\1$/, '$2');
    return [
      declare({
        ...described,
        name: `${owner}.${own}`,
        kind,
        signature,
        place: isPlain ? 'block' : 'heading',
      }),
    ];
  });
}
