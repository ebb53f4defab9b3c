/** Reads the exported names of Go packages, one module for each folder that others may import. */

import { type ApiModule, type Declaration, declare } from '../api-module.ts';
import { convertGoComment } from '../comments/go-comment.ts';
import { unwrapBlockComment } from '../comments/markdown-comment.ts';
import type { SyntaxNode } from '../open-grammars.ts';
import { boundSignature, cutSignature, lineOf, readHead, type SourceReader } from '../source-reader.ts';

const PRIVATE_FOLDER = /(?:^|\/)(?:internal|testdata|vendor|[._][^/]*)(?:\/|$)/;
/** Of files for several systems the one for Linux stands for all. */
const OTHER_SYSTEM =
  /_(?:windows|darwin|freebsd|netbsd|openbsd|dragonfly|solaris|aix|plan9|js|wasip1|zos|android|ios|illumos)(?:_[a-z0-9]+)?\.go$/;

const EMBEDDED_MAX = 50;
const DEFAULT_TAG = /^(?:linux|unix|amd64|cgo|gc|go1\.\d+)$/;

type GoFile = {
  package: string;
  docs: string;
  declarations: GoDeclaration[];
  /** The unexported types that a type embeds, whose methods become its own. */
  embedded: Map<string, string[]>;
};
type GoDeclaration = Declaration & { receiver: string | null };

export function readGoModules(source: SourceReader): ApiModule[] {
  const root = /^module\s+"?([^\s"]+)/m.exec(source.getText(findGoMod(source)) ?? '')?.[1] ?? '';
  const base = findGoMod(source).slice(0, -'go.mod'.length);
  const folders = new Map<string, (GoFile & { isElsewhere: boolean })[]>();
  for (const path of source.paths) {
    if (!path.endsWith('.go') || path.endsWith('_test.go') || !path.startsWith(base)) continue;
    const folder = path.slice(base.length, Math.max(base.length, path.lastIndexOf('/')));
    if (PRIVATE_FOLDER.test(folder) || isIgnored(source.getText(path) ?? '')) continue;
    const file = source.read(path, 'go', readGoFile);
    if (file === null) continue;
    const files = folders.get(folder) ?? [];
    files.push({ ...file, isElsewhere: OTHER_SYSTEM.test(path) || isForOthers(source.getText(path) ?? '') });
    folders.set(folder, files);
  }
  return [...folders].map(([folder, files]) =>
    mergeFiles(
      [root, folder].filter((part) => part !== '').join('/'),
      // Stable: what is built by default comes before other systems and tags.
      files.toSorted((one, other) => Number(one.isElsewhere) - Number(other.isElsewhere)),
    ),
  );
}

/** The outermost one; archives of the proxy put it below `module@version/`. */
function findGoMod({ paths }: SourceReader): string {
  const found = paths.filter((path) => path === 'go.mod' || path.endsWith('/go.mod'));
  return found.toSorted((one, other) => one.length - other.length)[0] ?? 'go.mod';
}

function isIgnored(text: string): boolean {
  return /^\/\/(?:go:build|[ \t]*\+build)[ \t]+ignore\b/m.test(text.slice(0, 4_000));
}

/** Whether no default build on Linux has the file. Conditions in parentheses are not read. */
function isForOthers(text: string): boolean {
  const line = text
    .slice(0, 4_000)
    .split('\n')
    .find((candidate) => candidate.startsWith('//go:build '));
  if (line === undefined || line.includes('(')) return false;
  const condition = line.slice('//go:build '.length);
  const isTrue = (term: string): boolean => {
    const tag = term.trim();
    return tag.startsWith('!') ? !DEFAULT_TAG.test(tag.slice(1)) : DEFAULT_TAG.test(tag);
  };
  return !condition.split('||').some((choice) => choice.split('&&').every(isTrue));
}

function mergeFiles(name: string, files: readonly GoFile[]): ApiModule {
  const packageName = files.find(({ package: own }) => own !== 'main')?.package ?? 'main';
  const own = files.filter(({ package: other }) => other === packageName);
  const docs = own.map(({ docs: text }) => text).filter((text) => text !== '');
  const { docs: markdown, deprecated } = convertGoComment(docs.join('\n\n'));
  const module: ApiModule = { name, language: 'go', docs: markdown, deprecated, declarations: [] };
  // A program has no interface for others.
  if (packageName === 'main') return module;
  const types = new Map<string, Declaration>();
  const known = new Set<string>();
  const all = own
    .flatMap(({ declarations }) => declarations)
    .filter(({ name: item, receiver }) => {
      const key = `${receiver ?? ''}.${item}`;
      // The same name for another system.
      if (known.has(key)) return false;
      known.add(key);
      return true;
    });
  for (const found of all.filter(({ receiver }) => receiver === null)) {
    const isValue = found.kind === 'constant' || found.kind === 'variable';
    const qualify = <Named extends { name: string }>(named: Named): Named => ({
      ...named,
      name: `${packageName}.${named.name}`,
    });
    // Members of a value are the others of its block.
    const members = isValue ? found.members.map(qualify) : found.members;
    const declaration = { ...qualify(found), members };
    if (found.kind === 'type' || found.kind === 'struct' || found.kind === 'interface')
      types.set(found.name, declaration);
    module.declarations.push(declaration);
  }
  const methods = Map.groupBy(
    all.filter(({ receiver }) => receiver !== null),
    ({ receiver }) => receiver ?? '',
  );
  const embedded = new Map(own.flatMap((file) => [...file.embedded]));
  for (const [type, { members }] of types) {
    const names = new Set<string>();
    for (const owner of listEmbedded(type, embedded)) {
      for (const { receiver, ...method } of methods.get(owner) ?? []) {
        const simpleName = method.name.slice((receiver ?? '').length + 1);
        if (names.has(simpleName)) continue;
        names.add(simpleName);
        members.push({ ...method, name: `${type}.${simpleName}` });
      }
    }
  }
  return module;
}

/** A type and the unexported ones that it embeds, the nearest first. */
function listEmbedded(type: string, embedded: ReadonlyMap<string, string[]>): string[] {
  const found = [type];
  for (const name of found)
    for (const inner of embedded.get(name) ?? [])
      if (!found.includes(inner) && found.length < EMBEDDED_MAX) found.push(inner);
  return found;
}

const isExported = (name: string): boolean => /^\p{Lu}/u.test(name);

function readGoFile(root: SyntaxNode, text: string): GoFile {
  const file: GoFile = { package: '', docs: '', declarations: [], embedded: new Map() };
  for (const { node, comment } of pairWithComments(root.namedChildren)) {
    if (node.type === 'package_clause') {
      file.package = node.namedChildren[0]?.text ?? '';
      file.docs = comment;
    } else {
      if (node.type === 'type_declaration') readEmbedded(node, file);
      file.declarations.push(...readGoDeclaration(node, comment, text));
    }
  }
  return file;
}

function readEmbedded(declaration: SyntaxNode, { embedded }: GoFile): void {
  for (const spec of declaration.namedChildren) {
    const type = spec.childForFieldName('type');
    if (type?.type !== 'struct_type') continue;
    const fields = type.namedChildren[0]?.namedChildren ?? [];
    const names = fields
      .filter(
        (field) => field.type === 'field_declaration' && field.childrenForFieldName('name').length === 0,
      )
      .map((field) => field.childForFieldName('type')?.text ?? '')
      .filter((name) => /^\w+$/.test(name) && !isExported(name));
    if (names.length > 0) embedded.set(spec.childForFieldName('name')?.text ?? '', names);
  }
}

/** Pairs each node with the comment that ends on the line before it. */
function pairWithComments(nodes: readonly SyntaxNode[]): { node: SyntaxNode; comment: string }[] {
  const pairs: { node: SyntaxNode; comment: string }[] = [];
  let comment: string[] = [];
  let nextRow = -1;
  let lastRow = -1;
  for (const node of nodes) {
    if (node.type === 'comment') {
      // A comment behind a declaration, on its line, is not that of the next.
      if (node.startPosition.row === lastRow) continue;
      if (node.startPosition.row !== nextRow) comment = [];
      if (node.text.startsWith('/*')) comment.push(unwrapBlockComment(node.text));
      else if (!/^\/\/(?:go:|line |export |nolint)/.test(node.text))
        comment.push(node.text.replace(/^\/\/ ?/, ''));
      nextRow = node.endPosition.row + 1;
    } else {
      pairs.push({ node, comment: node.startPosition.row === nextRow ? comment.join('\n') : '' });
      comment = [];
      lastRow = node.endPosition.row;
    }
  }
  return pairs;
}

function readGoDeclaration(node: SyntaxNode, comment: string, text: string): GoDeclaration[] {
  switch (node.type) {
    case 'function_declaration':
    case 'method_declaration':
      return readFunction(node, comment, text);
    case 'type_declaration':
      return pairWithComments(node.namedChildren).flatMap((pair) =>
        readType(pair.node, pair.comment || comment, text),
      );
    case 'const_declaration':
    case 'var_declaration':
      return readValues(node, comment, text);
    default:
      return [];
  }
}

function readFunction(node: SyntaxNode, comment: string, text: string): GoDeclaration[] {
  const name = node.childForFieldName('name')?.text ?? '';
  const receiver = node.childForFieldName('receiver');
  const owner = receiver === null ? null : readReceiver(receiver);
  if (!isExported(name)) return [];
  return [
    {
      ...declare({
        name: owner === null ? name : `${owner}.${name}`,
        kind: owner === null ? 'function' : 'method',
        signature: readHead(node, text, node.childForFieldName('body')),
        line: lineOf(node),
        ...readDocs(comment),
      }),
      receiver: owner,
    },
  ];
}

/** The type of `(t *Tree[Key])`. */
function readReceiver(receiver: SyntaxNode): string {
  const type = receiver.namedChildren
    .find(({ type }) => type === 'parameter_declaration')
    ?.childForFieldName('type');
  return /^\*?(\w+)/.exec(type?.text ?? '')?.[1] ?? '';
}

function readDocs(comment: string): Pick<Declaration, 'docs' | 'deprecated'> {
  const { docs, deprecated } = convertGoComment(comment);
  return { docs, deprecated };
}

function readType(node: SyntaxNode, comment: string, text: string): GoDeclaration[] {
  const name = node.childForFieldName('name')?.text ?? '';
  if (!isExported(name)) return [];
  const type = node.childForFieldName('type');
  const kind =
    type?.type === 'struct_type' ? 'struct' : type?.type === 'interface_type' ? 'interface' : 'type';
  const members = type === null ? [] : readTypeMembers(type, name);
  return [
    {
      ...declare({
        name,
        kind,
        // Comments inside a type are read with it, as Go's own documentation shows them.
        signature: `type ${hidePrivateFields(node, type, text)}`,
        line: lineOf(node),
        members,
        ...readDocs(comment),
      }),
      receiver: null,
    },
  ];
}

function readTypeMembers(type: SyntaxNode, owner: string): Declaration[] {
  const list =
    type.type === 'struct_type' ? (type.namedChildren[0]?.namedChildren ?? []) : type.namedChildren;
  return list.flatMap((member) => {
    if (member.type !== 'field_declaration' && member.type !== 'method_elem') return [];
    const kind = member.type === 'method_elem' ? 'method' : 'field';
    return member
      .childrenForFieldName('name')
      .filter(({ text }) => isExported(text))
      .map((name) =>
        declare({
          name: `${owner}.${name.text}`,
          kind,
          signature: boundSignature(member.text),
          line: lineOf(member),
          place: 'signature',
        }),
      );
  });
}

/** Leaves out fields that others cannot reach, and says that there are some. */
function hidePrivateFields(spec: SyntaxNode, type: SyntaxNode | null, text: string): string {
  const list = type?.type === 'struct_type' ? type.namedChildren[0] : undefined;
  const hidden = list?.namedChildren.filter(isHiddenField) ?? [];
  if (list === undefined || hidden.length === 0) return cutSignature(text, spec.startIndex, spec.endIndex);
  let shown = '';
  let place = spec.startIndex;
  const children = list.namedChildren;
  for (const field of hidden) {
    const index = children.findIndex(({ startIndex }) => startIndex === field.startIndex);
    let begin = field.startIndex;
    // With the comment above it.
    for (let before = index - 1; before >= 0; before--) {
      const comment = children[before];
      const below = children[before + 1];
      if (
        comment?.type !== 'comment' ||
        below === undefined ||
        comment.endPosition.row + 1 !== below.startPosition.row
      )
        break;
      if (children[before - 1]?.endPosition.row === comment.startPosition.row) break;
      begin = comment.startIndex;
    }
    if (begin < place) continue;
    shown += text.slice(place, begin);
    const lineEnd = text.indexOf('\n', field.endIndex);
    place = lineEnd === -1 || lineEnd > list.endIndex ? field.endIndex : lineEnd;
  }
  shown += text.slice(place, list.endIndex - 1);
  const lines = shown.split('\n').map((line) => line.trimEnd());
  const kept = lines.filter((line, index) => line !== '' || !/(?:^|\{)$/.test(lines[index - 1] ?? ''));
  const body = kept.join('\n').trimEnd();
  return boundSignature(`${body}\n\t// has unexported fields\n}`);
}

function isHiddenField(field: SyntaxNode): boolean {
  if (field.type !== 'field_declaration') return false;
  const names = field.childrenForFieldName('name');
  if (names.length > 0) return names.every(({ text }) => !isExported(text));
  const type = field.childForFieldName('type')?.text ?? '';
  return !isExported(type.replace(/^.*[.*]/, ''));
}

/** Constants of one block share its text; those with a comment of their own have a heading of their own. */
function readValues(node: SyntaxNode, comment: string, text: string): GoDeclaration[] {
  const kind = node.type === 'const_declaration' ? 'constant' : 'variable';
  const word = kind === 'constant' ? 'const' : 'var';
  const list = node.namedChildren.flatMap((child) =>
    child.type === 'var_spec_list' ? child.namedChildren : [child],
  );
  const specs = pairWithComments(list);
  const exported = specs.flatMap((pair) =>
    pair.node
      .childrenForFieldName('name')
      .filter((name) => name.isNamed && isExported(name.text))
      .map((name) => ({ name: name.text, spec: pair.node, own: pair.comment })),
  );
  const [first] = exported;
  if (first === undefined) return [];
  const isBlock = list.length > 1;
  const isShared = isBlock && exported.every(({ own }) => own === '');
  if (!isShared) {
    return exported.map(({ name, spec, own }) => ({
      ...declare({
        name,
        kind,
        signature: `${word} ${cutSignature(text, spec.startIndex, spec.endIndex)}`,
        line: lineOf(spec),
        ...readDocs(own === '' ? comment : own),
      }),
      receiver: null,
    }));
  }
  const members = exported
    .slice(1)
    .map(({ name, spec }) =>
      declare({ name, kind, signature: boundSignature(spec.text), line: lineOf(spec), place: 'signature' }),
    );
  return [
    {
      ...declare({
        name: first.name,
        kind,
        signature: cutSignature(text, node.startIndex, node.endIndex),
        line: lineOf(first.spec),
        members,
        ...readDocs(comment),
      }),
      receiver: null,
    },
  ];
}
