import { type Declaration, declare } from '../api-module.ts';
import { convertJavadoc } from '../comments/javadoc.ts';
import type { SyntaxNode } from '../open-grammars.ts';
import { boundSignature, dropEnd, LIMITS, lineOf, readAnnotatedHead } from '../source-reader.ts';

/** What one file of Java or Kotlin declares. Types are named without their package. */
export type JvmFile = { package: string; types: Declaration[]; functions: Declaration[] };

const TYPE_KINDS: Record<string, string> = {
  class_declaration: 'class',
  interface_declaration: 'interface',
  enum_declaration: 'enum',
  record_declaration: 'record',
  annotation_type_declaration: 'annotation',
};

/** The parts of a declaration that its members need to know. */
type Owner = {
  name: string;
  simpleName: string;
  /** Members of interfaces and annotations are public without saying so. */
  isInterface: boolean;
  depth: number;
};

export function readJavaFile(root: SyntaxNode, text: string): JvmFile {
  const file: JvmFile = { package: '', types: [], functions: [] };
  for (const { node, comment } of pairWithJavadoc(root.namedChildren)) {
    if (node.type === 'package_declaration')
      file.package =
        node.namedChildren.find(({ type }) => /identifier$/.test(type))?.text.replace(/\s/g, '') ?? '';
    else if (TYPE_KINDS[node.type] !== undefined) file.types.push(...readType(node, comment, text, null));
  }
  return file;
}

/** Pairs each node with the documentation comment above it, `''` for none; Kotlin writes them alike. */
export function pairWithJavadoc(nodes: readonly SyntaxNode[]): { node: SyntaxNode; comment: string }[] {
  const pairs: { node: SyntaxNode; comment: string }[] = [];
  let comment = '';
  for (const node of nodes) {
    if (node.type === 'block_comment') comment = node.text.startsWith('/**') ? node.text : comment;
    else if (node.type !== 'line_comment') {
      pairs.push({ node, comment });
      comment = '';
    }
  }
  return pairs;
}

function readModifiers(node: SyntaxNode): { words: string; isDeprecated: boolean } {
  const modifiers = node.children.find(({ type }) => type === 'modifiers');
  if (modifiers === undefined) return { words: '', isDeprecated: false };
  const words = modifiers.children.filter(({ isNamed }) => !isNamed).map(({ type }) => type);
  const isDeprecated = modifiers.namedChildren.some(
    (child) => /annotation/.test(child.type) && child.childForFieldName('name')?.text === 'Deprecated',
  );
  return { words: words.join(' '), isDeprecated };
}

function isPublic(words: string, owner: Owner | null): boolean {
  if (/\bprivate\b/.test(words)) return false;
  return (owner?.isInterface ?? false) || /\b(?:public|protected)\b/.test(words);
}

function readDocs(
  comment: string,
  isDeprecated: boolean,
): { docs: string; deprecated: string | null; isInternal: boolean } {
  if (comment === '') return { docs: '', deprecated: isDeprecated ? '' : null, isInternal: false };
  const { docs, deprecated, isInternal } = convertJavadoc(comment);
  return { docs, deprecated: deprecated ?? (isDeprecated ? '' : null), isInternal };
}

function readType(node: SyntaxNode, comment: string, text: string, owner: Owner | null): Declaration[] {
  const { words, isDeprecated } = readModifiers(node);
  const { docs, deprecated, isInternal } = readDocs(comment, isDeprecated);
  const simpleName = node.childForFieldName('name')?.text ?? '';
  if (simpleName === '' || !isPublic(words, owner) || isInternal) return [];
  const name = owner === null ? simpleName : `${owner.name}.${simpleName}`;
  const depth = (owner?.depth ?? 0) + 1;
  if (depth > LIMITS.nestingMax) return [];
  const kind = TYPE_KINDS[node.type] ?? 'class';
  const body = node.childForFieldName('body');
  const self: Owner = { name, simpleName, isInterface: kind === 'interface' || kind === 'annotation', depth };
  const children = (body?.namedChildren ?? []).flatMap((child) =>
    child.type === 'enum_body_declarations' ? child.namedChildren : [child],
  );
  const members = pairWithJavadoc(children).flatMap((pair) =>
    readMember(pair.node, pair.comment, text, self),
  );
  return [
    declare({
      name,
      kind,
      signature: readAnnotatedHead(node, text, body?.startIndex ?? node.endIndex),
      line: lineOf(node),
      docs,
      deprecated,
      members,
    }),
  ];
}

function readMember(node: SyntaxNode, comment: string, text: string, owner: Owner): Declaration[] {
  if (TYPE_KINDS[node.type] !== undefined) return readType(node, comment, text, owner);
  const { words, isDeprecated } = readModifiers(node);
  const isConstant = node.type === 'enum_constant';
  const { docs, deprecated, isInternal } = readDocs(comment, isDeprecated);
  if (isInternal || !(isConstant || isPublic(words, owner))) return [];
  const described = { docs, deprecated, line: lineOf(node) };
  switch (node.type) {
    case 'method_declaration':
    case 'annotation_type_element_declaration': {
      const name = `${owner.name}.${node.childForFieldName('name')?.text ?? ''}`;
      return [
        declare({
          ...described,
          name,
          kind: 'method',
          signature: dropEnd(
            readAnnotatedHead(node, text, node.childForFieldName('body')?.startIndex ?? node.endIndex),
            ';',
          ),
        }),
      ];
    }
    case 'constructor_declaration':
    case 'compact_constructor_declaration': {
      const signature = readAnnotatedHead(
        node,
        text,
        node.childForFieldName('body')?.startIndex ?? node.endIndex,
      );
      return [
        declare({ ...described, name: `${owner.name}.${owner.simpleName}`, kind: 'constructor', signature }),
      ];
    }
    case 'enum_constant': {
      const signature = readAnnotatedHead(
        node,
        text,
        node.childForFieldName('body')?.startIndex ?? node.endIndex,
      );
      const name = `${owner.name}.${node.childForFieldName('name')?.text ?? ''}`;
      return [
        declare({
          ...described,
          name,
          kind: 'constant',
          signature,
          place: docs === '' && deprecated === null ? 'block' : 'heading',
        }),
      ];
    }
    case 'field_declaration':
    case 'constant_declaration':
      return node.childrenForFieldName('declarator').map((declarator) => {
        const name = `${owner.name}.${declarator.childForFieldName('name')?.text ?? ''}`;
        const signature = readFieldHead(node, declarator, text);
        return declare({
          ...described,
          name,
          kind: 'field',
          signature,
          place: docs === '' && deprecated === null ? 'block' : 'heading',
        });
      });
    default:
      return [];
  }
}

/** A short value is part of the signature: it tells what a constant is. */
function readFieldHead(node: SyntaxNode, declarator: SyntaxNode, text: string): string {
  const type = node.childForFieldName('type');
  const before = readAnnotatedHead(node, text, type?.endIndex ?? node.startIndex);
  const value = declarator.childForFieldName('value');
  const isLiteral = value !== null && /literal$/.test(value.type) && value.text.length < 120;
  const end = value === null || isLiteral ? declarator.endIndex : value.startIndex;
  const own = dropEnd(text.slice(declarator.startIndex, end).trimEnd(), '=');
  return boundSignature(`${before} ${own}`);
}
