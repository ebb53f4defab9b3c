import * as z from 'zod';
import type { AttributeRequest, FieldMapping } from '../../pages/extract/extras/map-fields.ts';
import { type Selector, validateSelector } from '../../pages/extract/selector.ts';
import type { JsonObject } from '../calls/call.ts';
import { createValidationFailure, isObject } from '../calls/json-body.ts';
import { isWithinQueryLength } from '../v1/content-fields.ts';
import { type ChangeRequest, parseChangeRequest } from './firecrawl-changes.ts';

const DEPTH_MAX = 6;
const FIELDS_MAX = 200;
const NEEDS_SELECTORS =
  'json needs a schema whose properties have a CSS "selector" (and an "attribute", if not the text); without selectors it takes a model (MODEL_URL)';

const PLAIN_FORMATS = ['markdown', 'html', 'rawHtml', 'links', 'images'] as const;
type PlainFormat = (typeof PLAIN_FORMATS)[number];

/** The formats that a caller requests of a page. */
export type RequestedFormats = {
  plain: Set<PlainFormat>;
  attributes: AttributeRequest[];
  /** Selectors of the JSON's values; null: not requested. */
  json: FieldMapping | null;
  summary: boolean;
  /** The query of the requested passages. */
  highlights: string | null;
  /** A screenshot of the viewport, or of the whole page. */
  screenshot: 'viewport' | 'page' | null;
  /** The options of changes since the caller's last read; null: they were not requested. */
  changes: ChangeRequest | null;
  /** Known formats that this service does not offer. */
  notOffered: string[];
};

const DEFAULT = ['markdown'];
const FORMATS_MAX = 20;
const SELECTORS_MAX = 20;
const ATTRIBUTE_CHARS_MAX = 128;

/** Formats that need more of a browser than rendering, or a model. */
const NOT_OFFERED: ReadonlyMap<string, string> = new Map([
  ...['screenshot', 'branding', 'audio', 'video'].map((name) => [name, 'a browser'] as const),
  ...['question', 'query', 'product', 'menu', 'extract'].map((name) => [name, 'a model'] as const),
]);

/** Formats as clients send them: strings, or objects with a `type`. */
export const formats = z
  .unknown()
  .meta({
    description:
      'A list of markdown (the default), html, rawHtml, links, images, summary (sentences of the page), {type: "highlights", query}, {type: "attributes", selectors: [{selector, attribute}]}, or {type: "json", schema} with a JSON Schema whose properties have a CSS `selector` and perhaps an `attribute`; {type: "changeTracking", modes: ["git-diff", "json"], tag} for what has changed since you last read the page; where the service has a browser also screenshot, or {type: "screenshot", fullPage: true}. Where the service has a model, `json` takes any schema or a prompt, and it writes the summary; in a crawl or batch only the page itself is used.',
    examples: [
      ['markdown'],
      ['markdown', 'rawHtml'],
      ['links', { type: 'images' }],
      ['summary', { type: 'highlights', query: 'log rotation' }],
      ['markdown', { type: 'changeTracking', modes: ['git-diff'] }],
      [{ type: 'attributes', selectors: [{ selector: 'a.reference', attribute: 'href' }] }],
      [
        {
          type: 'json',
          schema: { type: 'object', properties: { name: { type: 'string', selector: 'h1' } } },
        },
      ],
    ],
  })
  .transform((given, context): RequestedFormats => {
    const wanted: RequestedFormats = {
      plain: new Set(),
      attributes: [],
      notOffered: [],
      json: null,
      summary: false,
      highlights: null,
      screenshot: null,
      changes: null,
    };
    const complain = (message: string): void => context.addIssue({ code: 'custom', message });
    if (!Array.isArray(given) || given.length > FORMATS_MAX) {
      complain(`must be an array of at most ${FORMATS_MAX} formats`);
      return wanted;
    }
    for (const one of given.length === 0 ? DEFAULT : given) addFormat(one, wanted, complain);
    if (given.length > 0 && wanted.notOffered.length === given.length)
      complain(wanted.notOffered.map(explainMissing).join('; '));
    return wanted;
  })
  .prefault(DEFAULT);

/** Explains why a format is not offered. */
export const explainMissing = (name: string): string =>
  `${name} needs ${NOT_OFFERED.get(name)}, which this service does not have`;

function addFormat(given: unknown, wanted: RequestedFormats, complain: (message: string) => void): void {
  const options: JsonObject = isObject(given) ? given : { type: given };
  const name = String(options.type);
  const plain = PLAIN_FORMATS.find((one) => one === name);
  if (plain !== undefined) wanted.plain.add(plain);
  else if (name === 'screenshot') wanted.screenshot = options.fullPage === true ? 'page' : 'viewport';
  else if (name === 'screenshot@fullPage') wanted.screenshot = 'page';
  else if (NOT_OFFERED.has(name)) wanted.notOffered.push(name);
  else if (name === 'summary') wanted.summary = true;
  else if (name === 'changeTracking') wanted.changes = parseChangeRequest(options, complain);
  else if (name === 'json') wanted.json = parseMapping(options, complain);
  else if (name === 'highlights') wanted.highlights = parseHighlightQuery(options, complain);
  else if (name === 'attributes') wanted.attributes.push(...parseAttributes(options.selectors, complain));
  else complain(`must hold formats; "${name.slice(0, 40)}" is none`);
}

function parseHighlightQuery({ query }: JsonObject, complain: (message: string) => void): string | null {
  if (typeof query === 'string' && query.trim() !== '' && isWithinQueryLength(query)) return query;
  complain('highlights must have a query');
  return null;
}

function parseAttributes(given: unknown, complain: (message: string) => void): AttributeRequest[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > SELECTORS_MAX) {
    complain(`attributes must have 1 to ${SELECTORS_MAX} selectors`);
    return [];
  }
  return given.flatMap((one: unknown): AttributeRequest[] => {
    const { selector, attribute }: JsonObject = isObject(one) ? one : {};
    if (
      typeof selector !== 'string' ||
      typeof attribute !== 'string' ||
      attribute.length > ATTRIBUTE_CHARS_MAX
    ) {
      complain('attributes must have selectors of the form {selector, attribute}');
      return [];
    }
    const read = parseSelector(selector, complain);
    return read === null ? [] : [{ selector: read, attribute }];
  });
}

/** Drops formats that need a browser. Throws `Failure('validation_error')` if no format is left. */
export function dropBrowserFormats(wanted: RequestedFormats): RequestedFormats {
  if (wanted.screenshot === null) return wanted;
  const { plain, attributes, json, summary, highlights } = wanted;
  const others =
    plain.size +
    attributes.length +
    Number(json !== null) +
    Number(summary) +
    Number(wanted.changes !== null);
  const notOffered = [...wanted.notOffered, 'screenshot'];
  if (others === 0 && highlights === null)
    throw createValidationFailure([{ field: 'formats', message: notOffered.map(explainMissing).join('; ') }]);
  return { ...wanted, screenshot: null, notOffered };
}

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
      complain(
        `${at.path} needs a selector: a schema has them throughout, or nowhere, for a model (MODEL_URL)`,
      );
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
