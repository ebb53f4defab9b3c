import { type AnyNode, type Expression, parseExpressionAt, type SpreadElement } from 'acorn';

/** Deeper values are read as undefined. */
const DEPTH_MAX = 200;
const ECMA_VERSION = 2023;

/** The names that a function's parameters have within it. */
type Scope = ReadonlyMap<string, unknown>;

const NO_NAMES: Scope = new Map();

/**
 * The value of the JavaScript literal that begins at an offset of a script, as far as it is plain data: objects, arrays,
 * strings, numbers, `JSON.parse('…')`, dates, and a function that is called at once and returns such data. Nothing is
 * run. What is not data is undefined; so is a text that cannot be parsed.
 */
export function readLiteral(script: string, at: number): unknown {
  const node = expressionAt(script, at);
  return node === null ? undefined : dataOf(node, NO_NAMES, 0);
}

/** The arguments of the call that begins at an offset of a script; null when there is none. */
export function readArguments(script: string, at: number): unknown[] | null {
  const call = expressionAt(script, at);
  return call?.type === 'CallExpression' ? listOf(call.arguments, NO_NAMES, 0) : null;
}

function expressionAt(script: string, at: number): Expression | null {
  try {
    return parseExpressionAt(script, at, { ecmaVersion: ECMA_VERSION });
  } catch (error) {
    // A deeply nested text overflows the parser's stack.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

function dataOf(node: AnyNode, scope: Scope, depth: number): unknown {
  if (depth > DEPTH_MAX) return undefined;
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'bigint' ? String(node.value) : node.value;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? node.quasis[0]?.value.cooked : undefined;
    case 'ArrayExpression':
      return listOf(node.elements, scope, depth + 1);
    case 'ObjectExpression':
      return objectOf(node.properties, scope, depth + 1);
    case 'UnaryExpression':
      return unary(node.operator, dataOf(node.argument, scope, depth + 1));
    case 'Identifier':
      return scope.get(node.name);
    case 'AssignmentExpression':
      return dataOf(node.right, scope, depth + 1);
    case 'LogicalExpression':
      return dataOf(node.left, scope, depth + 1) ?? dataOf(node.right, scope, depth + 1);
    case 'CallExpression':
      return resultOf(node, scope, depth + 1);
    case 'NewExpression':
      return constructed(node, scope, depth + 1);
    default:
      return undefined;
  }
}

function listOf(nodes: (Expression | SpreadElement | null)[], scope: Scope, depth: number): unknown[] {
  return nodes.map((node) => (node === null ? undefined : dataOf(node, scope, depth)));
}

function objectOf(
  properties: (AnyNode & { type: 'ObjectExpression' })['properties'],
  scope: Scope,
  depth: number,
): Record<string, unknown> {
  // Without a prototype, so that a page's `__proto__` is a name like any other.
  const object: Record<string, unknown> = Object.create(null);
  for (const property of properties) {
    if (property.type !== 'Property') continue;
    const { key, computed } = property;
    const name = key.type === 'Identifier' && !computed ? key.name : dataOf(key, scope, depth);
    if (typeof name === 'string' || typeof name === 'number')
      object[name] = dataOf(property.value, scope, depth);
  }
  return object;
}

function unary(operator: string, value: unknown): unknown {
  if (operator === '!') return !value;
  return operator === '-' && typeof value === 'number' ? -value : undefined;
}

function resultOf(node: AnyNode & { type: 'CallExpression' }, scope: Scope, depth: number): unknown {
  const { callee } = node;
  const given = listOf(node.arguments, scope, depth);
  if (callee.type === 'MemberExpression')
    return isJsonParse(callee) && typeof given[0] === 'string' ? parsedJson(given[0]) : given[0];
  if (callee.type !== 'FunctionExpression' && callee.type !== 'ArrowFunctionExpression') return undefined;
  const names = callee.params.map(
    (name, at) => [name.type === 'Identifier' ? name.name : '', given[at]] as const,
  );
  return returned(callee.body, new Map([...scope, ...names]), depth);
}

/** The value that a function's body returns, after the assignments to members of its parameters. */
function returned(body: AnyNode, scope: Scope, depth: number): unknown {
  if (body.type !== 'BlockStatement') return dataOf(body, scope, depth);
  for (const statement of body.body) {
    if (statement.type === 'ReturnStatement')
      return statement.argument == null ? undefined : dataOf(statement.argument, scope, depth);
    if (statement.type === 'ExpressionStatement') assign(statement.expression, scope, depth);
  }
  return undefined;
}

/** `a.title = "…"` where `a` is a parameter. */
function assign(node: Expression, scope: Scope, depth: number): void {
  if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression') return;
  const { object, property, computed } = node.left;
  const target = object.type === 'Identifier' ? scope.get(object.name) : undefined;
  const name = property.type === 'Identifier' && !computed ? property.name : dataOf(property, scope, depth);
  if (typeof target !== 'object' || target === null) return;
  if (typeof name === 'string' || typeof name === 'number')
    Reflect.defineProperty(target, name, {
      value: dataOf(node.right, scope, depth),
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

function constructed(node: AnyNode & { type: 'NewExpression' }, scope: Scope, depth: number): unknown {
  const [first] = listOf(node.arguments, scope, depth);
  return first;
}

function isJsonParse(callee: AnyNode & { type: 'MemberExpression' }): boolean {
  const { object, property } = callee;
  return (
    object.type === 'Identifier' &&
    object.name === 'JSON' &&
    property.type === 'Identifier' &&
    property.name === 'parse'
  );
}

/** The value of a JSON text, undefined when it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
