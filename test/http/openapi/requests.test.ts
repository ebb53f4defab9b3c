import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import type { FailureCode } from '../../../src/contract/errors.ts';
import type { JsonObject } from '../../../src/http/calls/call.ts';
import { toCamelCase } from '../../../src/http/calls/json-body.ts';
import { bodiesOf, brokenBodiesOf, type Schema, valuesOf } from '../../fixtures/bodies.ts';
import { type Described, describeInterface } from '../../fixtures/interface-description.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { unscriptedDeps } from '../../unscripted.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';
import { SCRIPTED } from './scripted-operations.ts';

/** Of each kind; 5,000 with OPENAPI_REQUESTS=5000. */
const REQUESTS = Number(process.env.OPENAPI_REQUESTS ?? 300);
const AT_ONCE = 8;

let fixture: ChargedFixture;
let keys: string[];

/** All that read a body, or parameters from their path or query. */
const operations = describeInterface(unscriptedDeps()).operations.filter(
  (operation) => operation.body !== null || placesOf(operation).length > 0,
);
const ajv = new Ajv2020({ strict: false });
const validators = new Map(
  operations.map((operation): [Described, ValidateFunction] => [
    operation,
    ajv.compile(inCamelCase((operation.body ?? {}) as Schema)),
  ]),
);

await describeOnStores('requests made from the description', (databaseUrl) => {
  before(async () => {
    fixture = await openChargedFixture(databaseUrl, {
      trustProxy: 1,
      ...SCRIPTED,
    });
    const made = [1_000_000, 1_000_000, 25, 1].map((credits) =>
      fixture.billing.keys.create({ credits, label: null }),
    );
    keys = (await Promise.all(made)).map(({ apiKey }) => apiKey);
  });
  after(() => fixture.close());

  test(`${REQUESTS} that are as described are never called wrong`, async () => {
    await sendAll(validOf, ({ operation, status, sent }) => {
      const expected = [200, 303, ...REFUSALS.flatMap((code) => statusesOf(operation, code))];
      if (operation.body === null)
        expected.push(...OF_ADDRESSES.flatMap((code) => statusesOf(operation, code)));
      if (JOINS_FIELDS.test(operation.path) || namesTwoPlaces(sent.body))
        expected.push(...statusesOf(operation, 'validation_error'));
      assert.ok(expected.includes(status), told(sent, status));
    });
  });

  test(`${REQUESTS} that are broken are refused where the description says so`, async () => {
    await sendAll(brokenOf, ({ operation, status, sent }) => {
      assert.ok(status < 500, told(sent, status));
      if (operation.body === null) return;
      if (REFUSALS.some((code) => statusesOf(operation, code).includes(status))) return;
      const read = asRead(sent.body);
      const isValid = validators.get(operation)?.(FORMS.has(operation.path) ? withoutEmpty(read) : read);
      if (!isValid) assert.ok(statusesOf(operation, 'validation_error').includes(status), told(sent, status));
    });
  });

  test('and the books are sound', async () => {
    assert.deepEqual(await createAudit({ ledgerStore: fixture.billing.ledgerStore })(), []);
    const held = await fixture.billing.ledgerStore.db
      .selectFrom('hold')
      .select('id')
      .where('state', '=', 'held')
      .execute();
    assert.deepEqual(held, []);
  });
});

/**
 * What a schema cannot say: which fields a document of a rerank needs is named by another field, a monitor watches exactly one of four, and
 * its schedule is in words; a sign-in profile has exactly one way to sign in.
 */
const JOINS_FIELDS = /\/(?:rerank|sites|monitors(?:\/\{id\})?)$/;

/** Collections and libraries exclude each other. */
const namesTwoPlaces = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'collection' in body && 'library' in body;

/** Read forms, which send an empty text for what they have no value for. */
const FORMS: ReadonlySet<string> = new Set(['/s']);

const withoutEmpty = (body: unknown): unknown =>
  typeof body !== 'object' || body === null || Array.isArray(body)
    ? body
    : Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''));

/** Why a valid request may fail: who asks, or what the key owns. */
const REFUSALS: FailureCode[] = [
  ...(['invalid_api_key', 'expired_api_key', 'insufficient_credits', 'keyless_limit'] as const),
  ...(['no_payment_method', 'free_key_already_issued'] as const),
];
/** And where the request is all in its address. */
const OF_ADDRESSES: FailureCode[] = ['url_not_allowed', 'not_found', 'forbidden'];

/** The described statuses of a failure. */
function statusesOf({ operation }: Described, code: FailureCode): number[] {
  const responses = Object.entries(operation.responses as Record<string, { description: string }>);
  return responses
    .filter(([, { description }]) => description.split(', ').includes(code))
    .map(([status]) => Number(status));
}

/** A request: the path with its parameters, and the body if it has one. */
type Sent = { method: string; path: string; body?: unknown };
type Reply = { status: number; headers: Headers };
type Answered = { operation: Described; status: number; sent: Sent };

const told = ({ method, path, body }: Sent, status: number): string =>
  `${method} ${path.slice(0, 200)} ${status} ${JSON.stringify(body)?.replace(/ß{9,}/g, 'ß…').slice(0, 600)}`;

function validOf(operation: Described): fc.Arbitrary<Sent> {
  const bodies = bodiesOf((operation.body ?? {}) as Schema).filter(
    (body) => validators.get(operation)?.(asRead(body)) ?? false,
  );
  return requestsOf(operation, { values: valuesOf, bodies });
}

/** One broken field of the body, or only broken parameters. */
function brokenOf(operation: Described): fc.Arbitrary<Sent> {
  return operation.body === null
    ? requestsOf(operation, { values: () => brokenTexts, bodies: fc.constant(undefined) })
    : requestsOf(operation, { values: valuesOf, bodies: brokenBodiesOf(operation.body as Schema) });
}

const brokenTexts = fc.constantFrom(
  '',
  'x',
  '-1',
  '1.5',
  '1e999',
  'null',
  '\0',
  '%',
  '/',
  '../..',
  'x'.repeat(2_001),
);

type Place = { name: string; in: string; required: boolean; schema: Schema };

function placesOf({ operation }: Described): Place[] {
  const places = (operation.parameters ?? []) as Place[];
  return places.filter((place) => place.in === 'path' || place.in === 'query');
}

function requestsOf(
  operation: Described,
  { values, bodies }: { values(schema: Schema): fc.Arbitrary<unknown>; bodies: fc.Arbitrary<unknown> },
): fc.Arbitrary<Sent> {
  const given = placesOf(operation).map((place) =>
    (place.required ? values(place.schema) : fc.option(values(place.schema), { nil: undefined })).map(
      (value): [Place, unknown] => [place, value],
    ),
  );
  const { method } = operation;
  return fc.tuple(fc.tuple(...given), bodies).map(([places, body]) => {
    const path = addressOf(operation.path, places);
    return operation.body === null ? { method, path } : { method, path, body };
  });
}

function addressOf(template: string, places: [Place, unknown][]): string {
  const query = new URLSearchParams();
  let path = template;
  for (const [{ name, in: where }, value] of places) {
    if (value === undefined || value === null) continue;
    // Nothing, and dots that a client resolves, would make it the path of another route.
    if (where === 'path')
      path = path.replace(
        `{${name}}`,
        encodeURIComponent(String(value).toWellFormed()).replace(/^\.{0,2}$/, '-'),
      );
    else query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

async function sendAll(
  arbitraryOf: (operation: Described) => fc.Arbitrary<Sent>,
  judge: (answered: Answered) => void,
): Promise<void> {
  const each = Math.ceil(REQUESTS / operations.length);
  for (const operation of operations) {
    const requests = fc.sample(arbitraryOf(operation), { numRuns: each, seed: 20_261_121 });
    for (let from = 0; from < requests.length; from += AT_ONCE)
      await Promise.all(
        requests.slice(from, from + AT_ONCE).map(async (sent, place) => {
          const reply = await send(sent, from + place);
          const { status } = reply;
          judge({ operation, status, sent });
          if (`${status}` in (operation.operation.responses as object))
            assert.deepEqual(undescribedHeaders(operation, reply), [], told(sent, status));
        }),
      );
  }
}

/** By turns with a rich key, one that runs out, one that nobody knows, and without any from many addresses. */
function send({ method, path, body }: Sent, turn: number): Promise<Reply> {
  const key = [...keys, 'nobody', null][turn % (keys.length + 2)];
  const headers: Record<string, string> =
    key == null ? { 'x-forwarded-for': `203.0.113.${turn % 250}` } : { 'x-api-key': key };
  const { get, post, delete: remove } = fixture.served;
  if (method === 'get') return get(path, headers);
  return method === 'delete' ? remove(path, headers) : post(path, JSON.stringify(body) ?? '', headers);
}

/** The headers that an API response may carry without telling its callers: those of every web server, and of CORS. */
const COMMON =
  /^(?:access-control-|cache-control|connection|content-|date|keep-alive|transfer-encoding|vary|x-content-type-options)/;

/** The response headers that the description of the operation leaves out. */
function undescribedHeaders({ operation }: Described, { status, headers }: Reply): string[] {
  const responses = operation.responses as Record<string, { headers?: object }>;
  const told = new Set(Object.keys(responses[status]?.headers ?? {}).map((name) => name.toLowerCase()));
  return [...headers.keys()].filter((name) => !COMMON.test(name) && !told.has(name));
}

/** The same schema with all names in camelCase, as the service reads them. */
function inCamelCase(schema: Schema): Schema {
  const { properties, required, anyOf, items } = schema;
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [toCamelCase(name), inCamelCase(field)]),
          ),
        }),
    ...(required === undefined ? {} : { required: required.map(toCamelCase) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(inCamelCase) }),
    ...(items === undefined ? {} : { items: inCamelCase(items) }),
  };
}

/** As the service reads a body: either spelling, and null for absent. */
function asRead(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asRead);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value as JsonObject).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(fields.map(([name, one]) => [toCamelCase(name), asRead(one)]));
}
