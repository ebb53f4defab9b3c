import { type AnyNode, type Expression, parseExpressionAt, type SpreadElement } from 'acorn';

/** Maximum depth; deeper values are read as undefined. */
const DEPTH_MAX = 200;
const ECMA_VERSION = 2023;

/** Values of a function's parameters by name. */
type Scope = ReadonlyMap<string, unknown>;

const NO_NAMES: Scope = new Map();

/**
 * Reads the JavaScript literal at an offset of a script, as far as it is plain data: objects, arrays, strings, numbers,
 * `JSON.parse('…')`, dates, and an immediately invoked function that returns such data. No code is run. Everything else is
 * undefined, as is text that cannot be parsed.
 */
export function readLiteral(script: string, at: number): unknown {
  const node = parseExpression(script, at);
  return node === null ? undefined : evaluateNode(node, NO_NAMES, 0);
}

/** Reads the arguments of the call at an offset of a script; null when there is none. */
export function readArguments(script: string, at: number): unknown[] | null {
  const call = parseExpression(script, at);
  return call?.type === 'CallExpression' ? evaluateList(call.arguments, NO_NAMES, 0) : null;
}

function parseExpression(script: string, at: number): Expression | null {
  try {
    return parseExpressionAt(script, at, { ecmaVersion: ECMA_VERSION });
  } catch (error) {
    // Deep nesting overflows the parser's stack.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

function evaluateNode(node: AnyNode, scope: Scope, depth: number): unknown {
  if (depth > DEPTH_MAX) return undefined;
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'bigint' ? String(node.value) : node.value;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? node.quasis[0]?.value.cooked : undefined;
    case 'ArrayExpression':
      return evaluateList(node.elements, scope, depth + 1);
    case 'ObjectExpression':
      return evaluateObject(node.properties, scope, depth + 1);
    case 'UnaryExpression':
      return evaluateUnary(node.operator, evaluateNode(node.argument, scope, depth + 1));
    case 'Identifier':
      return scope.get(node.name);
    case 'AssignmentExpression':
      return evaluateNode(node.right, scope, depth + 1);
    case 'LogicalExpression':
      return evaluateNode(node.left, scope, depth + 1) ?? evaluateNode(node.right, scope, depth + 1);
    case 'CallExpression':
      return evaluateCall(node, scope, depth + 1);
    case 'NewExpression':
      return evaluateNew(node, scope, depth + 1);
    default:
      return undefined;
  }
}

function evaluateList(nodes: (Expression | SpreadElement | null)[], scope: Scope, depth: number): unknown[] {
  return nodes.map((node) => (node === null ? undefined : evaluateNode(node, scope, depth)));
}

function evaluateObject(
  properties: (AnyNode & { type: 'ObjectExpression' })['properties'],
  scope: Scope,
  depth: number,
): Record<string, unknown> {
  // Without a prototype, so that `__proto__` in a page is an ordinary name.
  const object: Record<string, unknown> = Object.create(null);
  for (const property of properties) {
    if (property.type !== 'Property') continue;
    const { key, computed } = property;
    const name = key.type === 'Identifier' && !computed ? key.name : evaluateNode(key, scope, depth);
    if (typeof name === 'string' || typeof name === 'number')
      object[name] = evaluateNode(property.value, scope, depth);
  }
  return object;
}

function evaluateUnary(operator: string, value: unknown): unknown {
  if (operator === '!') return !value;
  return operator === '-' && typeof value === 'number' ? -value : undefined;
}

function evaluateCall(node: AnyNode & { type: 'CallExpression' }, scope: Scope, depth: number): unknown {
  const { callee } = node;
  const given = evaluateList(node.arguments, scope, depth);
  if (callee.type === 'MemberExpression')
    return isJsonParse(callee) && typeof given[0] === 'string' ? parseJsonText(given[0]) : given[0];
  if (callee.type !== 'FunctionExpression' && callee.type !== 'ArrowFunctionExpression') return undefined;
  const names = callee.params.map(
    (name, at) => [name.type === 'Identifier' ? name.name : '', given[at]] as const,
  );
  return evaluateBody(callee.body, new Map([...scope, ...names]), depth);
}

/** Evaluates a function's body to the value it returns, after applying assignments to members of its parameters. */
function evaluateBody(body: AnyNode, scope: Scope, depth: number): unknown {
  if (body.type !== 'BlockStatement') return evaluateNode(body, scope, depth);
  for (const statement of body.body) {
    if (statement.type === 'ReturnStatement')
      return statement.argument == null ? undefined : evaluateNode(statement.argument, scope, depth);
    if (statement.type === 'ExpressionStatement') assign(statement.expression, scope, depth);
  }
  return undefined;
}

/** Applies `a.title = "…"` where `a` is a parameter. */
function assign(node: Expression, scope: Scope, depth: number): void {
  if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression') return;
  const { object, property, computed } = node.left;
  const target = object.type === 'Identifier' ? scope.get(object.name) : undefined;
  const name =
    property.type === 'Identifier' && !computed ? property.name : evaluateNode(property, scope, depth);
  if (typeof target !== 'object' || target === null) return;
  if (typeof name === 'string' || typeof name === 'number')
    Reflect.defineProperty(target, name, {
      value: evaluateNode(node.right, scope, depth),
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

function evaluateNew(node: AnyNode & { type: 'NewExpression' }, scope: Scope, depth: number): unknown {
  const [first] = evaluateList(node.arguments, scope, depth);
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

/** Parses JSON; returns undefined when the text is not JSON. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
