import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import type { JsonObject } from '../../../src/http/calls/call.ts';
import { camelName } from '../../../src/http/calls/wire.ts';
import { bodiesOf, brokenBodiesOf, type Schema } from '../../fixtures/bodies.ts';
import { type Described, describeInterface } from '../../fixtures/interface-description.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import {
  contentsAnswer,
  readAnswer,
  researchAnswer,
  searchAnswer,
  unscriptedDeps,
  verifyAnswer,
} from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

/** Of each kind; 5,000 with OPENAPI_REQUESTS=5000. */
const REQUESTS = Number(process.env.OPENAPI_REQUESTS ?? 300);
const AT_ONCE = 8;

let fixture: ChargedFixture;
let keys: string[];

const posts = describeInterface(unscriptedDeps()).operations.filter(({ body }) => body !== null);
const ajv = new Ajv2020({ strict: false });
const validators = new Map(
  posts.map(({ path, body }): [string, ValidateFunction] => [path, ajv.compile(body ?? {})]),
);

await describeOnStores('requests made from the description', (databaseUrl) => {
  before(async () => {
    fixture = await openChargedFixture(databaseUrl, {
      trustProxy: 1,
      search: async () => searchAnswer(),
      similar: async () => searchAnswer(),
      contents: async () => contentsAnswer(),
      read: async () => readAnswer(),
      siteCrawl: async () => [{ url: 'https://example.org/', title: 'A', text: '# A', passages: null }],
      siteMap: async () => ['https://example.org/'],
      research: async ({ maxSearches }) => {
        const answer = researchAnswer();
        return { ...answer, searches: answer.searches.slice(0, maxSearches) };
      },
      verify: async () => verifyAnswer(),
    });
    const made = [1_000_000, 1_000_000, 25, 1].map((credits) =>
      fixture.billing.keys.create({ credits, label: null }),
    );
    keys = (await Promise.all(made)).map(({ apiKey }) => apiKey);
  });
  after(() => fixture.close());

  test(`${REQUESTS} that are as described are never called wrong`, async () => {
    await sendAll(
      (schema, isValid) => bodiesOf(schema).filter(isValid),
      ({ path, status, body }) => {
        assert.ok([200, 401, 402, 409, 432].includes(status), told(path, status, body));
      },
    );
  });

  test(`${REQUESTS} that are broken are refused where the description says so`, async () => {
    await sendAll(
      (schema) => brokenBodiesOf(schema),
      ({ path, status, body }) => {
        assert.ok(status < 500, told(path, status, body));
        if (status === 401 || status === 402 || status === 432) return;
        const isValid = validators.get(path)?.(asRead(body)) ?? false;
        if (!isValid) assert.equal(status, 422, told(path, status, body));
      },
    );
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

const told = (path: string, status: number, body: unknown): string =>
  `${path} ${status} ${JSON.stringify(body)?.replace(/ß{9,}/g, 'ß…').slice(0, 600)}`;

type Answered = { path: string; status: number; body: unknown };

async function sendAll(
  arbitraryOf: (schema: Schema, isValid: (body: unknown) => boolean) => fc.Arbitrary<unknown>,
  judge: (answered: Answered) => void,
): Promise<void> {
  const each = Math.ceil(REQUESTS / posts.length);
  for (const operation of posts) {
    const isValid = (body: unknown): boolean => validators.get(operation.path)?.(asRead(body)) ?? false;
    const bodies = fc.sample(arbitraryOf(operation.body as Schema, isValid), {
      numRuns: each,
      seed: 20_261_121,
    });
    for (let from = 0; from < bodies.length; from += AT_ONCE)
      await Promise.all(
        bodies.slice(from, from + AT_ONCE).map(async (body, place) => {
          const { status } = await send(operation, body, from + place);
          judge({ path: operation.path, status, body });
        }),
      );
  }
}

/** By turns with a rich key, one that runs out, one that nobody knows, and without any from many addresses. */
function send({ path }: Described, body: unknown, turn: number): Promise<{ status: number }> {
  const key = [...keys, 'nobody', null][turn % (keys.length + 2)];
  const headers = key == null ? { 'x-forwarded-for': `203.0.113.${turn % 250}` } : { 'x-api-key': key };
  return fixture.served.post(path, JSON.stringify(body) ?? '', headers as Record<string, string>);
}

/** As the service reads a body: either spelling, and null for absent. */
function asRead(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asRead);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value as JsonObject).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(fields.map(([name, one]) => [camelName(name), asRead(one)]));
}
