/** Reads a file in JavaScript: its modules like TypeScript's, and what CommonJS assigns to `exports` and to prototypes. */

import { type Declaration, declare } from '../api-module.ts';
import { convertTsdoc } from '../comments/tsdoc.ts';
import type { SyntaxNode } from '../open-grammars.ts';
import { cutSignature, lineOf, readHead } from '../source-reader.ts';
import { pairWithComments, readMembers, readScript, type ScriptScope } from './script-file.ts';

const FUNCTIONS = /^(?:function_expression|arrow_function|generator_function|function)$/;
const EXPORTS = /^(?:module\.)?exports$/;

export function readJavascriptFile(root: SyntaxNode, text: string): ScriptScope {
  const scope = readScript(root, text, 'js');
  for (const { node, comment } of pairWithComments(root.namedChildren)) {
    if (node.type === 'lexical_declaration' || node.type === 'variable_declaration')
      readRequires(node, text, scope);
    else if (node.type === 'expression_statement') {
      const [expression] = node.namedChildren;
      if (expression?.type === 'assignment_expression') readAssignment(expression, comment, text, scope);
    }
  }
  return scope;
}

/** `const x = require('./x')` imports; `var app = exports = module.exports = {}` names the exports. */
function readRequires(node: SyntaxNode, text: string, scope: ScriptScope): void {
  for (const declarator of node.namedChildren) {
    const name = declarator.childForFieldName('name');
    const value = declarator.childForFieldName('value');
    if (name?.type !== 'identifier' || value === null) continue;
    const source = readRequire(value);
    if (source !== null) {
      scope.names.delete(name.text);
      scope.imports.set(name.text, { source, imported: '*' });
    } else if (
      value.type === 'assignment_expression' &&
      listTargets(value).targets.some((target) => EXPORTS.test(target))
    ) {
      scope.assigned = name.text;
      readExportedValue(listTargets(value).value, text, scope);
    }
  }
}

function readRequire(value: SyntaxNode): string | null {
  return /^require\(\s*(['"])([^'"\n]+)\1\s*\)$/.exec(value.text.slice(0, 300))?.[2] ?? null;
}

/** The targets of `a = b = value`, outermost first. */
function listTargets(assignment: SyntaxNode): { targets: string[]; value: SyntaxNode } {
  const targets: string[] = [];
  let value = assignment;
  while (value.type === 'assignment_expression' && targets.length < 8) {
    targets.push(value.childForFieldName('left')?.text ?? '');
    const right = value.childForFieldName('right');
    if (right === null) break;
    value = right;
  }
  return { targets, value };
}

function readAssignment(assignment: SyntaxNode, comment: string, text: string, scope: ScriptScope): void {
  const { targets, value } = listTargets(assignment);
  if (targets.some((target) => EXPORTS.test(target))) {
    const source = readRequire(value);
    if (value.type === 'identifier') scope.assigned = value.text;
    else if (source !== null) {
      scope.imports.set('exports', { source, imported: '*' });
      scope.assigned = 'exports';
    } else if (FUNCTIONS.test(value.type) || value.type === 'class') {
      const name = value.childForFieldName('name')?.text ?? 'exports';
      addValue(scope, name, { value, assignment, comment, text });
      scope.assigned = name;
    } else readExportedValue(value, text, scope);
    return;
  }
  for (const target of targets) {
    const [, owner = '', name = ''] = /^([\w$.]+)\.([\w$]+)$/.exec(target) ?? [];
    if (name === '') continue;
    if (EXPORTS.test(owner)) readExport(name, { value, assignment, comment, text }, scope);
    else addMember(scope, owner, name, { value, assignment, comment, text });
  }
}

/** `module.exports = { a, b: c, d() {} }`. */
function readExportedValue(value: SyntaxNode, text: string, scope: ScriptScope): void {
  if (value.type !== 'object') return;
  for (const { node, comment } of pairWithComments(value.namedChildren)) {
    if (node.type === 'shorthand_property_identifier')
      scope.exports.push({ name: node.text, local: node.text });
    else if (node.type === 'pair') {
      const name = node.childForFieldName('key')?.text.replace(/^(['"])(.*)\1$/, '$2') ?? '';
      const own = node.childForFieldName('value');
      if (own !== null) readExport(name, { value: own, assignment: node, comment, text }, scope);
    } else if (node.type === 'method_definition') {
      const name = node.childForFieldName('name')?.text ?? '';
      addValue(scope, name, { value: node, assignment: node, comment, text });
      scope.exports.push({ name, local: name });
    }
  }
}

type Value = { value: SyntaxNode; assignment: SyntaxNode; comment: string; text: string };

function readExport(name: string, described: Value, scope: ScriptScope): void {
  const { value, comment } = described;
  const source = readRequire(value);
  if (source !== null) scope.exportsFrom.push({ name, source, imported: '*' });
  else if (
    value.type === 'identifier' &&
    (scope.names.has(value.text) || scope.imports.has(value.text)) &&
    comment === ''
  )
    scope.exports.push({ name, local: value.text });
  else {
    addValue(scope, name, described);
    scope.exports.push({ name, local: name });
  }
}

function addValue(scope: ScriptScope, name: string, described: Value): void {
  const declaration = describeValue(name, described);
  if (declaration !== null) scope.names.set(name, [declaration]);
}

/** `App.prototype.use = function`, and `app.use = function` on what the file exports. */
function addMember(scope: ScriptScope, owner: string, name: string, described: Value): void {
  const isPrototype = owner.endsWith('.prototype');
  const own = owner.replace(/\.prototype$/, '');
  const [holder] = scope.names.get(own) ?? [];
  const isExported = scope.assigned === own;
  if (holder === undefined || name.startsWith('_') || !(isPrototype || isExported)) return;
  const member = describeValue(`${own}.${name}`, described);
  if (member !== null)
    holder.members.push(member.kind === 'function' ? { ...member, kind: 'method' } : member);
}

function describeValue(name: string, { value, assignment, comment, text }: Value): Declaration | null {
  const { docs, deprecated, isInternal } =
    comment === '' ? { docs: '', deprecated: null, isInternal: false } : convertTsdoc(comment, 'js');
  if (isInternal) return null;
  const own = name.slice(name.lastIndexOf('.') + 1);
  const described = { name, line: lineOf(assignment), docs, deprecated };
  if (FUNCTIONS.test(value.type) || value.type === 'method_definition') {
    const parameters = value.childForFieldName('parameters') ?? value.childForFieldName('parameter');
    const list = parameters === null ? '()' : cutSignature(text, parameters.startIndex, parameters.endIndex);
    const signature = `${/^async\b/.test(value.text) ? 'async ' : ''}function ${own}${list.startsWith('(') ? list : `(${list})`}`;
    return declare({ ...described, kind: 'function', signature });
  }
  if (value.type === 'class') {
    const body = value.childForFieldName('body');
    const members = body === null ? [] : readMembers(body, name, { text, language: 'js', depth: 0 });
    return declare({ ...described, kind: 'class', signature: readHead(value, text, body), members });
  }
  const shown = value.text.length < 120 && !value.text.includes('\n') ? ` = ${value.text}` : '';
  return declare({ ...described, kind: 'property', signature: `${own}${shown}` });
}
