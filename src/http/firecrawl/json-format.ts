import type { FieldMapping } from '../../pages/extract/extras/map-fields.ts';
import { type Selector, validateSelector } from '../../pages/extract/extras/map-fields.ts';
import type { JsonObject } from '../calls/call.ts';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const DEPTH_MAX = 6;
const FIELDS_MAX = 200;
const ATTRIBUTE_CHARS_MAX = 128;

const NEEDS_SELECTORS =
  'json needs a schema whose properties have a CSS "selector" (and an "attribute", if not the text), because this service has no model';

/**
 * Parses a JSON Schema whose nodes locate their values by `selector` and `attribute`; returns null after a complaint. A selector applies
 * within the element of the enclosing object or list.
 */
export function parseMapping(format: JsonObject, complain: (message: string) => void): FieldMapping | null {
  let fields = 0;
  const { schema } = format;
  if (!isObject(schema) || !JSON.stringify(schema).includes('"selector"')) {
    complain(NEEDS_SELECTORS);
    return null;
  }
  return parseField(schema, { path: 'schema', depth: 0, isPlaced: true });

  function parseField(
    node: unknown,
    at: { path: string; depth: number; isPlaced: boolean },
  ): FieldMapping | null {
    fields += 1;
    if (!isObject(node) || at.depth > DEPTH_MAX || fields > FIELDS_MAX) {
      complain(
        `${at.path} must be a schema, at most ${DEPTH_MAX} levels deep and of ${FIELDS_MAX} properties`,
      );
      return null;
    }
    const { selector: given, attribute, type } = node;
    const selector = typeof given === 'string' ? parseSelector(given, complain) : null;
    if (typeof given === 'string' && selector === null) return null;
    const kind = parseKind(type, node);
    if (kind === 'object') {
      const inner = parseProperties(node, { ...at, depth: at.depth + 1 });
      return inner === null ? null : { kind, selector, fields: inner };
    }
    if (selector === null && !at.isPlaced) {
      complain(`${at.path} needs a selector, because this service has no model`);
      return null;
    }
    if (kind === 'list') {
      const items = parseField(node.items ?? {}, {
        path: `${at.path}.items`,
        depth: at.depth + 1,
        isPlaced: true,
      });
      return items === null ? null : { kind, selector, items };
    }
    if (kind === 'boolean') return { kind, selector };
    const named =
      typeof attribute === 'string' ? attribute.slice(0, ATTRIBUTE_CHARS_MAX).toLowerCase() : null;
    return { kind, selector, attribute: named };
  }

  function parseProperties(
    { properties }: JsonObject,
    at: { path: string; depth: number },
  ): Record<string, FieldMapping> | null {
    const entries = Object.entries(isObject(properties) ? properties : {}).map(([name, node]) => {
      const field = parseField(node, {
        path: `${at.path}.${name.slice(0, 40)}`,
        depth: at.depth,
        isPlaced: false,
      });
      return field === null ? null : ([name, field] as const);
    });
    const found = entries.filter((entry) => entry !== null);
    return found.length < entries.length ? null : Object.fromEntries(found);
  }
}

/** Returns the first of several types that is not null; without a type, infers it from the node's other members. */
function parseKind(type: unknown, node: JsonObject): FieldMapping['kind'] {
  const all: unknown[] = Array.isArray(type) ? type : [type];
  switch (all.find((one) => one !== 'null')) {
    case 'object':
      return 'object';
    case 'array':
      return 'list';
    case 'number':
      return 'number';
    case 'integer':
      return 'integer';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'text';
    default:
      return node.properties !== undefined ? 'object' : node.items !== undefined ? 'list' : 'text';
  }
}

/** Parses a selector; returns null after a complaint. */
export function parseSelector(text: string, complain: (message: string) => void): Selector | null {
  const read = validateSelector(text);
  if (typeof read === 'string') return read;
  complain(`the selector "${text.slice(0, 80)}" ${read.problem}`);
  return null;
}
