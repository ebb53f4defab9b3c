import { z } from 'zod';
import type { FailureCode } from '../../contract/errors.ts';
import type { JsonObject, Route } from '../calls/call.ts';
import { NO_STORE_HEADER } from '../calls/caller.ts';
import { IGNORED_HEADER } from '../calls/ignored-fields.ts';
import { aboutOf, type Operation, type Parameter } from '../calls/operation.ts';
import type { Terms } from '../calls/terms.ts';
import { shapeOf } from '../shapes.ts';
import { STORE } from '../v1/opening.ts';
import { OPERATIONS } from './operations.ts';

/** Errors that any route may return. */
const ALWAYS: FailureCode[] = ['forbidden', 'request_too_large', 'overloaded', 'internal'];
const BY_CALLER: Record<Route['callers'], FailureCode[]> = {
  payer: ['invalid_api_key', 'expired_api_key', 'insufficient_credits', 'keyless_limit', 'rate_limited'],
  caller: ['invalid_api_key', 'expired_api_key'],
  key: ['invalid_api_key', 'expired_api_key'],
  anybody: [],
  operator: [],
  admin: [],
};

/** What the descriptions of the API depend on. */
export type Service = { serviceUrl: string; terms: Terms | null };

/** The OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1.html) of the API routes. */
export function openApiDocument(routes: readonly Route[], service: Service): JsonObject {
  const { serviceUrl, terms } = service;
  const paths: Record<string, JsonObject> = {};
  const schemas: Record<string, JsonObject> = {};
  for (const route of routes) {
    const operation = operationOf(route);
    if (operation === null) continue;
    for (const [alias, path] of route.paths.entries()) {
      const template = operation.path ?? path.replace(/:(\w+)/g, '{$1}');
      const described = describe(operation, { route, path, alias, schemas, terms });
      paths[template] = { ...paths[template], [route.method.toLowerCase()]: described };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sanderling',
      version: '1',
      description: terms === null ? ABOUT : `${ABOUT} ${keylessIn(terms)}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serviceUrl }],
    ...(terms === null ? {} : { security: [{ bearer: [] }, { apiKey: [] }, {}] }),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        ...(terms === null ? {} : { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } }),
      },
    },
  };
}

const ABOUT =
  'Web retrieval and search for programs and agents. Field names may be camelCase or snake_case, unknown fields are ignored, and null counts as absent.';

function keylessIn({ keylessPerDay }: Terms): string {
  return keylessPerDay === 0
    ? 'Every call needs a key.'
    : 'Calls without a key are free up to a daily limit.';
}

/** The documented operation of a route; null for the site's own pages and files. */
export function operationOf(route: Pick<Route, 'method' | 'paths'>): Operation | null {
  return OPERATIONS[`${route.method} ${route.paths[0]}`] ?? null;
}

type Place = { route: Route; path: string; alias: number; schemas: Record<string, JsonObject> } & Pick<
  Service,
  'terms'
>;

function describe(operation: Operation, { route, path, alias, schemas, terms }: Place): JsonObject {
  const { id, tag, summary, parameters = [], body } = operation;
  const tells = route.callers === 'payer' && terms !== null;
  return {
    operationId: alias === 0 ? id : `${id}_${alias}`,
    tags: [tag],
    summary: alias === 0 ? summary : `${summary} (alias of ${route.paths[0]})`,
    description: aboutOf(operation, terms),
    ...SECURITY[route.callers],
    ...parametersOf([
      ...parameters,
      ...(path.includes('/:key') ? [PATH_KEY] : []),
      ...(route.callers === 'payer' ? [NO_STORE] : []),
    ]),
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonOf(requestSchema(body)) } }),
    responses: {
      200: {
        description: 'Success.',
        ...headersOf(route, { tells, own: operation.tells }),
        content: answersOf(operation, { schemas, terms }),
      },
      ...failures(operation, { route, shape: shapeOf(path), schemas, terms }),
    },
  };
}

/** The forms of a success. */
function answersOf(
  { answer, json, otherTypes = [] }: Operation,
  names: Pick<Place, 'schemas' | 'terms'>,
): JsonObject {
  return {
    ...(typeof answer === 'string' ? ofType(answer) : jsonOf(named(answer, names))),
    ...(json === undefined ? {} : jsonOf(named(json, names))),
    ...Object.assign({}, ...otherTypes.map(ofType)),
  };
}

const ofType = (type: string): JsonObject => ({
  // A schema of a stream would be that of its events, each of which is of a kind of its own.
  [type]: {
    schema: type === 'text/event-stream' ? {} : { type: type === 'application/json' ? 'object' : 'string' },
  },
});

const SECURITY: Record<Route['callers'], JsonObject> = {
  payer: {},
  caller: {},
  key: { security: [{ bearer: [] }, { apiKey: [] }] },
  anybody: { security: [{}] },
  operator: { security: [{ bearer: [] }] },
  admin: { security: [{ bearer: [] }] },
};

/** The headers of a success. `tells`: it says how many credits are left. */
function headersOf(
  route: Route,
  { tells, own = {} }: { tells: boolean; own: Operation['tells'] },
): JsonObject {
  const reads = route.method === 'POST' && route.callers !== 'anybody';
  const texts = Object.entries(own).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const headers = {
    ...(tells ? REMAINING : {}),
    ...(reads ? IGNORED : {}),
    ...Object.fromEntries(texts),
  };
  return Object.keys(headers).length === 0 ? {} : { headers };
}

const IGNORED = {
  [IGNORED_HEADER]: {
    description:
      'The fields of the request that had no effect, separated by commas and percent-encoded; absent if there are none.',
    schema: { type: 'string' },
  },
};

const REMAINING = {
  'X-Credits-Remaining': {
    description: 'Credits left on the key, or free requests left today.',
    schema: { type: 'integer', minimum: 0 },
  },
};

/** For applications that can send no header. */
const PATH_KEY: Parameter = { name: 'key', in: 'path', required: true, about: 'A key.', schema: z.string() };

/** Accepted by every call that reads. */
const NO_STORE: Parameter = {
  name: NO_STORE_HEADER,
  in: 'header',
  about: `1 means the same as \`store: false\` in a body. ${STORE.description}`,
  schema: z.string().meta({ examples: ['1'] }),
};

function parametersOf(parameters: readonly Parameter[]): JsonObject {
  return parameters.length === 0 ? {} : { parameters: parameters.map(describeParameter) };
}

function describeParameter({ name, in: place, required, about, schema }: Parameter): JsonObject {
  return { name, in: place, required: required ?? false, description: about, schema: requestSchema(schema) };
}

const jsonOf = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });

/** Error codes with the same status share one response. */
function failures(
  { errors }: Operation,
  {
    route,
    shape,
    schemas,
    terms,
  }: Pick<Place, 'route' | 'schemas' | 'terms'> & {
    shape: ReturnType<typeof shapeOf>;
  },
): JsonObject {
  const byCaller = terms === null ? [] : BY_CALLER[route.callers];
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of new Set([...errors, ...byCaller, ...ALWAYS])) {
    const status = shape.format.statusOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.join(', '),
        ...(route.callers === 'payer' && terms !== null ? { headers: REMAINING } : {}),
        content: jsonOf(named(shape.failureBody(status), { schemas, terms })),
      },
    ]),
  );
}

/** Puts a titled schema under `components` once and returns a reference to it. */
function named(schema: z.ZodType, { schemas, terms }: Pick<Place, 'schemas' | 'terms'>): JsonObject {
  const name = schema.meta()?.title;
  const asJson = (): JsonObject => withCosts(asJsonSchema(schema, 'output'), terms !== null);
  if (name === undefined) return asJson();
  schemas[name] ??= asJson();
  return { $ref: `#/components/schemas/${name}` };
}

/** Drops the fields marked `costs` where nothing is metered, and the marks everywhere. */
function withCosts(schema: JsonObject, isMetered: boolean): JsonObject {
  const cleaned = structuredClone(schema);
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties, required } = value as {
      properties?: Record<string, JsonObject>;
      required?: string[];
    };
    for (const [name, field] of Object.entries(properties ?? {})) {
      if (field.costs === undefined) continue;
      delete field.costs;
      if (isMetered) continue;
      delete properties?.[name];
      if (required?.includes(name)) required.splice(required.indexOf(name), 1);
    }
    Object.values(value).forEach(visit);
  };
  visit(cleaned);
  return cleaned;
}

/** JSON Schema of the accepted input, before defaults apply. */
export const requestSchema = (schema: z.ZodType): JsonObject => asJsonSchema(schema, 'input');

function asJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: widen });
  return json;
}

/** Adds the inputs that a schema's preprocessing accepts (`also`), and drops the maximum that zod gives unbounded integers. */
function widen({ jsonSchema }: { jsonSchema: JsonObject }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  const { also, description, default: fallback, ...own } = jsonSchema;
  if (!Array.isArray(also)) return;
  for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
  const others = Array.isArray(own.anyOf) ? own.anyOf.filter(({ type }) => type !== 'null') : [own];
  Object.assign(jsonSchema, {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    anyOf: [...also, ...others],
  });
}
