/**
 * The OpenAPI document of the API, built from the routes and their operations. Request schemas come from the zod schemas of the
 * operations. The web pages about the API are in `docs/`.
 */
import * as z from 'zod';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../../contract/limits.ts';
import type { JsonObject, Route } from '../calls/call.ts';
import { NO_STORE_HEADER } from '../calls/caller.ts';
import { IDEMPOTENCY_HEADER } from '../calls/idempotency.ts';
import type { Terms } from '../calls/operation.ts';
import { describeOperation, type Operation, type Parameter } from '../calls/operation.ts';
import { STORE } from '../v1/opening.ts';
import { buildParameterSchema, buildRequestSchema } from './json-schema.ts';
import { nameObjects, type Schemas } from './named-schemas.ts';
import { MODEL_OPERATIONS, OPERATIONS } from './operations.ts';
import { buildResponses } from './responses.ts';

/** The facts of a server that the descriptions of the API depend on. */
export type Service = { serviceUrl: string; terms: Terms | null };

/** Builds the OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1.html) of the API routes. */
export function buildOpenApiDocument(routes: readonly Route[], service: Service): JsonObject {
  const { serviceUrl, terms } = service;
  const paths: Record<string, JsonObject> = {};
  const schemas: Schemas = {};
  for (const route of routes) {
    const operation = findOperation(route);
    if (operation === null) continue;
    for (const [alias, path] of route.paths.entries()) {
      const template = operation.path ?? path.replace(/:(\w+)/g, '{$1}');
      const described = buildOperationObject(operation, { route, path, alias, schemas, terms });
      paths[template] = { ...paths[template], [route.method.toLowerCase()]: described };
    }
  }
  nameObjects(schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sanderling',
      version: '1',
      description: terms === null ? ABOUT : `${ABOUT} ${describeKeyless(terms)}`,
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

function describeKeyless({ keylessPerDay }: Terms): string {
  return keylessPerDay === 0
    ? 'Every call needs a key.'
    : 'Calls without a key are free up to a daily limit.';
}

/** Finds the documented operation of a route; null for the site's own pages and files. */
export function findOperation(route: Pick<Route, 'method' | 'paths' | 'usesModel'>): Operation | null {
  const name = `${route.method} ${route.paths[0]}`;
  const withModel = route.usesModel ? MODEL_OPERATIONS[name] : undefined;
  return withModel ?? OPERATIONS[name] ?? null;
}

type OperationContext = { route: Route; path: string; alias: number; schemas: Schemas } & Pick<
  Service,
  'terms'
>;

function buildOperationObject(operation: Operation, place: OperationContext): JsonObject {
  const { route, path, alias, schemas, terms } = place;
  const { id, tag, summary, body } = operation;
  return {
    operationId: alias === 0 ? id : `${id}_${alias}`,
    tags: [tag],
    summary: alias === 0 ? summary : `${summary} (alias of ${route.paths[0]})`,
    description: describeOperation(operation, terms),
    ...SECURITY[route.callers],
    ...describeParameters(listParameters(operation, { route, path })),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: buildRequestBody(operation, { body, schemas }) } }),
    responses: buildResponses(operation, { route, path, schemas, isMetered: terms !== null }),
  };
}

/** Lists the parameters of an operation, including those that all calls of its kind accept. */
export function listParameters(
  { parameters = [] }: Operation,
  { route, path }: { route: Route; path: string },
): Parameter[] {
  return [
    ...parameters,
    ...(path.includes('/:key') ? [PATH_KEY] : []),
    ...(route.callers === 'payer' ? [NO_STORE] : []),
    ...(route.callers === 'payer' && route.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
  ];
}

/** Registers the schemas of the request, which aliases share, and returns references to them. */
function buildRequestBody(
  operation: Operation,
  { body, schemas }: { body: z.ZodType; schemas: Schemas },
): JsonObject {
  const register = (owner: string, fields: z.ZodType): JsonObject => {
    const name = `${owner.charAt(0).toUpperCase()}${owner.slice(1)}Request`;
    schemas[name] ??= buildRequestSchema({ ...operation, body: fields }) ?? {};
    return { $ref: `#/components/schemas/${name}` };
  };
  const { id, otherBody } = operation;
  const usual = register(id, body);
  const schema =
    otherBody === undefined ? usual : { anyOf: [usual, register(otherBody.name, otherBody.body)] };
  return { 'application/json': { schema } };
}

const SECURITY: Record<Route['callers'], JsonObject> = {
  payer: {},
  caller: {},
  key: { security: [{ bearer: [] }, { apiKey: [] }] },
  anybody: { security: [{}] },
  operator: { security: [{ bearer: [] }] },
  admin: { security: [{ bearer: [] }] },
};

/** The key in the path, for applications that can send no header. */
const PATH_KEY: Parameter = { name: 'key', in: 'path', required: true, about: 'A key.', schema: z.string() };

/** The header that every call that reads accepts. */
const NO_STORE: Parameter = {
  name: NO_STORE_HEADER,
  in: 'header',
  about: `1 means the same as \`store: false\` in a body. ${STORE.description}`,
  schema: z.string().meta({ examples: ['1'] }),
};

/** The header by which a call can be repeated without being charged again. */
const IDEMPOTENCY_KEY: Parameter = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  about:
    'Any printable text that names this call, such as a UUID. Within 24 hours the same call with the same key gets the same response and does not run again; another call with it is a 422, and one that is still under way a 409.',
  schema: z.string().min(1).max(IDEMPOTENCY_KEY_CHARS_MAX),
};

function describeParameters(parameters: readonly Parameter[]): JsonObject {
  return parameters.length === 0 ? {} : { parameters: parameters.map(describeParameter) };
}

function describeParameter({ name, in: place, required, about, schema }: Parameter): JsonObject {
  return {
    name,
    in: place,
    required: required ?? false,
    description: about,
    schema: buildParameterSchema(schema),
  };
}
