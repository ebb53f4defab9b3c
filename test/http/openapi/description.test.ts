import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeInterface } from '../../fixtures/interface-description.ts';
import { unscriptedDeps } from '../../unscripted.ts';

type Field = {
  description?: string;
  default?: unknown;
  properties?: Record<string, Field>;
  items?: Field;
  anyOf?: Field[];
  additionalProperties?: Field | boolean;
};
type Parameter = { name: string; description?: string };

const { document, operations } = describeInterface(unscriptedDeps());
const schemas = (document.components as { schemas: Record<string, Field> }).schemas;
const fieldOf = (name: string, ...path: string[]): Field | undefined =>
  path.reduce((field, part) => partOf(field, part), schemas[name]);

const partOf = (field: Field | undefined, name: string): Field | undefined =>
  field?.properties?.[name] ?? field?.anyOf?.find((one) => one.properties?.[name])?.properties?.[name];

/** The path of every property in a schema, with the property. */
function* propertiesOf(schema: Field, path: string): Generator<[string, Field]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${name}`, field];
    yield* propertiesOf(field, `${path}.${name}`);
  }
  const { items, anyOf = [], additionalProperties: others } = schema;
  const inner = [
    ...(items === undefined ? [] : [items]),
    ...anyOf,
    ...(typeof others === 'object' ? [others] : []),
  ];
  for (const one of inner) yield* propertiesOf(one, path);
}

describe('every part of the description', () => {
  test('each property of each schema is described in a sentence', () => {
    const all = Object.entries(schemas).flatMap(([name, schema]) => [...propertiesOf(schema, name)]);
    assert.ok(all.length > 500, `${all.length} properties`);
    assert.deepEqual(
      all.filter(([, { description = '' }]) => description.length < 3).map(([path]) => path),
      [],
    );
  });

  test('each parameter and each header of an answer is described', () => {
    for (const { path, operation } of operations) {
      for (const { name, description } of (operation.parameters ?? []) as Parameter[])
        assert.ok(description, `${path} ${name}`);
      for (const { headers = {} } of Object.values(
        operation.responses as Record<string, { headers?: object }>,
      ))
        for (const [name, header] of Object.entries(headers))
          assert.ok(header.description, `${path} ${name}`);
    }
  });

  test('no operation has a request or a success without a schema, but redirects', () => {
    for (const { path, body, operation } of operations) {
      if (operation.requestBody !== undefined) assert.ok(body !== null, path);
      const { 200: success, 303: redirect } = operation.responses as Record<string, { content?: object }>;
      assert.ok((success ?? redirect) !== undefined, path);
      if (success !== undefined) assert.ok(Object.keys(success.content ?? {}).length > 0, path);
    }
  });
});

describe('names and defaults', () => {
  const DEFAULTS: [string, string[], unknown][] = [
    ['SearchRequest', ['numResults'], 10],
    ['SearchRequest', ['contents'], false],
    ['ContentsRequest', ['text'], true],
    ['ShapeBSearchRequest', ['max_results'], 5],
    ['ShapeBSearchRequest', ['include_raw_content'], false],
    ['ShapeBCrawlRequest', ['max_depth'], 1],
    ['ShapeBCrawlRequest', ['limit'], 50],
    ['PerplexitySearchRequest', ['max_results'], 10],
    ['RerankRequest', ['return_documents'], true],
  ];
  for (const [name, path, value] of DEFAULTS)
    test(`${name} ${path.join('.')} is ${value} by default`, () => {
      assert.deepEqual(fieldOf(name, ...path)?.default, value);
    });

  test('fields are spelled as the contract spells them first', () => {
    assert.ok(fieldOf('SearchRequest', 'includeDomains'));
    assert.ok(fieldOf('SearchContents', 'pruned_context'));
    assert.ok(fieldOf('ContentsRequest', 'pruned_context'));
    assert.ok(fieldOf('AutoReloadRequest', 'monthly_max_usd'));
    const second = Object.keys(schemas).filter((name) => /^ShapeB.*Request$/.test(name));
    assert.equal(second.length, 5);
    for (const name of second)
      for (const [path] of propertiesOf(schemas[name] ?? {}, name))
        assert.doesNotMatch(path, /\.[a-z]+[A-Z]/);
  });

  test('a link to buy redirects, with its parameters and their defaults', () => {
    const buy = operations.find(({ path }) => path === '/buy/{pack}')?.operation;
    const { 303: redirect } = (buy?.responses ?? {}) as Record<string, { headers: object }>;
    assert.deepEqual(Object.keys(redirect?.headers ?? {}), ['Location', 'X-Request-Id']);
    const parameters = buy?.parameters as { name: string; schema: Field }[];
    assert.deepEqual(
      parameters.map(({ name, schema }) => [name, schema.default ?? null]),
      [
        ...[
          ['pack', null],
          ['auto_reload', null],
          ['threshold', 1_000],
        ],
        ...[
          ['reload_pack', 'builder'],
          ['monthly_max_usd', 500],
          ['k', null],
        ],
      ],
    );
  });

  test('an answer of the reader names its headers, and a 402 the address to pay', () => {
    const read = operations.find(({ path, method }) => path === '/r/{url}' && method === 'get')?.operation;
    const { 200: success, 402: unpaid } = (read?.responses ?? {}) as Record<string, { headers: object }>;
    for (const name of ['X-Token-Savings', 'X-Raw-Tokens', 'X-Output-Tokens', 'X-Credits-Remaining'])
      assert.ok(name in (success?.headers ?? {}), name);
    for (const name of ['X-Payment-URL', 'Retry-After', 'X-Credits-Remaining'])
      assert.ok(name in (unpaid?.headers ?? {}), name);
  });
});
