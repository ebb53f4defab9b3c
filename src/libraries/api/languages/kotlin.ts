import { type Declaration, declare } from '../api-module.ts';
import { convertKdoc } from '../comments/javadoc.ts';
import type { SyntaxNode } from '../open-grammars.ts';
import { boundSignature, dropEnd, LIMITS, lineOf, readAnnotatedHead } from '../source-reader.ts';
import { type JvmFile, pairWithJavadoc } from './java.ts';

const TYPES = new Set(['class_declaration', 'object_declaration', 'companion_object']);
const BODIES = new Set(['class_body', 'enum_class_body', 'function_body']);

type Owner = { name: string; depth: number };

export function readKotlinFile(root: SyntaxNode, text: string): JvmFile {
  const file: JvmFile = { package: '', types: [], functions: [] };
  for (const { node, comment } of pairWithJavadoc(root.namedChildren)) {
    if (node.type === 'package_header') file.package = node.namedChildren[0]?.text.replace(/\s/g, '') ?? '';
    else if (TYPES.has(node.type)) file.types.push(...readType(node, comment, text, null));
    else file.functions.push(...readMember(node, comment, text, null));
  }
  return file;
}

function readModifiers(node: SyntaxNode): string {
  return node.namedChildren.find(({ type }) => type === 'modifiers')?.text ?? '';
}

/** Everything is public unless it says otherwise; `override` repeats what the supertype documents. */
function isPublic(modifiers: string): boolean {
  return !/(?:^|\s)(?:private|internal)(?:\s|$)/.test(modifiers);
}

function readDocs(
  comment: string,
  modifiers: string,
): { docs: string; deprecated: string | null; isInternal: boolean } {
  const { docs, deprecated, isInternal } =
    comment === '' ? { docs: '', deprecated: null, isInternal: false } : convertKdoc(comment);
  const annotation = /@Deprecated\b(?:\(\s*(?:message\s*=\s*)?"([^"\n]*)")?/.exec(modifiers);
  return { docs, deprecated: deprecated ?? (annotation === null ? null : (annotation[1] ?? '')), isInternal };
}

function findBody(node: SyntaxNode): SyntaxNode | null {
  return node.namedChildren.find(({ type }) => BODIES.has(type)) ?? null;
}

const readName = (node: SyntaxNode): string =>
  (node.childForFieldName('name') ?? node.namedChildren.find(({ type }) => type === 'identifier'))?.text ??
  '';

function qualify(owner: Owner | null, name: string): string {
  return owner === null ? name : `${owner.name}.${name}`;
}

function readType(node: SyntaxNode, comment: string, text: string, owner: Owner | null): Declaration[] {
  const modifiers = readModifiers(node);
  const { docs, deprecated, isInternal } = readDocs(comment, modifiers);
  const depth = (owner?.depth ?? 0) + 1;
  if (!isPublic(modifiers) || isInternal || depth > LIMITS.nestingMax) return [];
  const isCompanion = node.type === 'companion_object';
  const simpleName = readName(node) || (isCompanion ? 'Companion' : '');
  if (simpleName === '') return [];
  const name = qualify(owner, simpleName);
  const body = findBody(node);
  // Members of a companion are called on the class.
  const self: Owner = { name: isCompanion && owner !== null ? owner.name : name, depth };
  const members = [
    ...readConstructorProperties(node, self),
    ...pairWithJavadoc(body?.namedChildren ?? []).flatMap((pair) =>
      readMember(pair.node, pair.comment, text, self),
    ),
  ];
  if (isCompanion && docs === '') return members;
  return [
    declare({
      name,
      kind: readTypeKind(node, modifiers),
      signature: readAnnotatedHead(node, text, body?.startIndex ?? node.endIndex),
      line: lineOf(node),
      docs,
      deprecated,
      members,
    }),
  ];
}

function readTypeKind(node: SyntaxNode, modifiers: string): string {
  if (node.type !== 'class_declaration') return 'object';
  if (node.children.some(({ type }) => type === 'interface')) return 'interface';
  if (/(?:^|\s)enum(?:\s|$)/.test(modifiers)) return 'enum';
  return /(?:^|\s)annotation(?:\s|$)/.test(modifiers) ? 'annotation' : 'class';
}

function readConstructorProperties(node: SyntaxNode, owner: Owner): Declaration[] {
  const primary = node.namedChildren.find(({ type }) => type === 'primary_constructor');
  const list = primary?.namedChildren.find(({ type }) => type === 'class_parameters');
  return (list?.namedChildren ?? []).flatMap((parameter) => {
    const isProperty = parameter.children.some(({ type }) => type === 'val' || type === 'var');
    if (!isProperty || !isPublic(readModifiers(parameter))) return [];
    const name = `${owner.name}.${readName(parameter)}`;
    const signature = boundSignature(parameter.text);
    return [declare({ name, kind: 'property', signature, line: lineOf(parameter), place: 'signature' })];
  });
}

function readMember(node: SyntaxNode, comment: string, text: string, owner: Owner | null): Declaration[] {
  if (TYPES.has(node.type)) return readType(node, comment, text, owner);
  const modifiers = readModifiers(node);
  const { docs, deprecated, isInternal } = readDocs(comment, modifiers);
  if (!isPublic(modifiers) || isInternal) return [];
  const described = { docs, deprecated, line: lineOf(node) };
  const place = docs === '' && deprecated === null && owner !== null ? 'block' : 'heading';
  switch (node.type) {
    case 'function_declaration': {
      const signature = readAnnotatedHead(node, text, findBody(node)?.startIndex ?? node.endIndex);
      return [declare({ ...described, name: qualify(owner, readName(node)), kind: 'function', signature })];
    }
    case 'secondary_constructor': {
      const end = node.namedChildren.find(
        ({ type }) => type === 'constructor_delegation_call' || type === 'block',
      );
      const signature = dropEnd(readAnnotatedHead(node, text, end?.startIndex ?? node.endIndex), ':');
      return [declare({ ...described, name: qualify(owner, 'constructor'), kind: 'constructor', signature })];
    }
    case 'property_declaration': {
      const variable = node.namedChildren.find(({ type }) => type === 'variable_declaration');
      if (variable === undefined) return [];
      const signature = readPropertyHead(node, variable, text);
      const name = qualify(owner, readName(variable));
      return [declare({ ...described, name, kind: 'property', signature, place })];
    }
    case 'enum_entry': {
      const signature = readAnnotatedHead(node, text, findBody(node)?.startIndex ?? node.endIndex);
      return [
        declare({ ...described, name: qualify(owner, readName(node)), kind: 'constant', signature, place }),
      ];
    }
    case 'type_alias': {
      const name = qualify(owner, node.childForFieldName('type')?.text ?? '');
      return [
        declare({
          ...described,
          name,
          kind: 'type',
          signature: readAnnotatedHead(node, text, node.endIndex),
        }),
      ];
    }
    default:
      return [];
  }
}

/** Without the value, unless it is a literal that tells what a constant is. */
function readPropertyHead(node: SyntaxNode, variable: SyntaxNode, text: string): string {
  const value = node.namedChildren.find(({ startIndex }) => startIndex >= variable.endIndex);
  const isLiteral = value !== undefined && /literal$/.test(value.type) && value.text.length < 120;
  const end = isLiteral ? value.endIndex : variable.endIndex;
  return readAnnotatedHead(node, text, end);
}
