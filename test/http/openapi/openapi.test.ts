import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Validator } from '@seriousme/openapi-schema-validator';
import { buildNotOfferedRoutes } from '../../../src/http/compat/compat-shapes.ts';
import { OPERATIONS } from '../../../src/http/openapi/operations.ts';
import { buildExamples } from '../../../src/http/programs/programs.ts';
import { buildRoutes } from '../../../src/http/routes.ts';
import { describeInterface } from '../../fixtures/interface-description.ts';
import { readAnswer, type Served, serveScripted } from '../../harness.ts';
import { unscriptedDeps } from '../../unscripted.ts';
import { SCRIPTED } from './scripted-operations.ts';

const run = promisify(execFile);
let served: Served;

before(async () => {
  served = await serveScripted(SCRIPTED);
});
after(() => served.close());

describe('GET /openapi.json', () => {
  test('is a valid description by the rules of OpenAPI 3.1', async () => {
    const { status, json } = await served.get('/openapi.json');
    assert.equal(status, 200);
    const { valid, errors } = await new Validator().validate(json);
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(json.servers[0].url, served.address);
  });

  test('describes every route that is no page', () => {
    const parts = unscriptedDeps();
    const routes = buildRoutes({ ...parts, serviceUrl: () => '', isDraining: () => false });
    const refusing = new Set(buildNotOfferedRoutes().flatMap(({ paths }) => paths));
    const untold = routes
      .filter(({ pages, paths: [path = ''] }) => pages === undefined && !refusing.has(path))
      .map(({ method, paths }) => `${method} ${paths[0]}`)
      .filter((name) => OPERATIONS[name] === undefined);
    // Those of the sign-in describe themselves, by metadata.
    const described = untold.filter((name) => !/ \/(?:oauth|\.well-known)\//.test(name));
    assert.deepEqual(described, ['POST /webhooks/stripe', 'GET /openapi.json', 'GET /llms.txt']);
    const names = new Set(routes.map(({ method, paths }) => `${method} ${paths[0]}`));
    assert.deepEqual(
      Object.keys(OPERATIONS).filter((name) => !names.has(name)),
      [],
    );
  });

  test('its patterns mean the same to every reader of regular expressions', async () => {
    // Python knows no other escaped letters, and writes the names of groups in another way.
    const wellKnown = /^(?:[^\\]|\\[dDsSwWbBfnrtv]|\\[^a-zA-Z0-9])*$/;
    const patterns = valuesOf('pattern', (await served.get('/openapi.json')).json);
    assert.ok(patterns.length > 10);
    for (const pattern of patterns)
      assert.ok(wellKnown.test(pattern) && !/\(\?[^:=!]/.test(pattern), pattern);
    assert.ok(!wellKnown.test('[\\p{L}]') && !wellKnown.test('\\u{1}'));
  });

  test('every object has a name, and no name is numbered', async () => {
    const { components, paths } = (await served.get('/openapi.json')).json;
    // Which fields an alternative of a request needs says nothing about an object of its own.
    const inside = Object.values(components.schemas as Record<string, object>).flatMap((schema) =>
      Object.values({ ...schema, anyOf: [] }).flatMap((value) => valuesOf('properties', value)),
    );
    assert.deepEqual([inside, valuesOf('properties', paths)], [[], []]);
    const names = Object.keys(components.schemas);
    for (const name of ['SearchResult', 'ContentsResult', 'SecondShapeSearchResult', 'SearchContents'])
      assert.ok(names.includes(name), name);
    assert.deepEqual(
      names.filter((name) => !/^[A-Z][A-Za-z]*(?:V1)?[A-Za-z]*$/.test(name)),
      [],
    );
  });

  test('the type of a search is described, and any is accepted', async () => {
    const { components } = (await served.get('/openapi.json')).json;
    assert.equal(components.schemas.SearchRequest.properties.type.type, 'string');
    const { status, json } = await served.post('/v1/search', { query: 'q', type: 'neural' });
    assert.deepEqual([status, json.service.ignored], [200, ['type']]);
  });

  test('out of credits is 432 in the second shape, 402 elsewhere, and nothing else', () => {
    const { operations } = describeInterface(unscriptedDeps());
    for (const { path, operation } of operations) {
      const responses = operation.responses as Record<string, { description: string }>;
      const statuses = Object.entries(responses)
        .filter(([, { description }]) => /insufficient_credits|keyless_limit/.test(description))
        .map(([status]) => status);
      const isPriced = JSON.stringify(responses).includes('X-Credits-Remaining');
      const wanted = path.startsWith('/shapeB/') ? '432' : '402';
      assert.deepEqual(statuses, isPriced ? [wanted] : [], path);
      for (const other of ['402', '432']) assert.equal(other in responses, statuses.includes(other), path);
    }
  });

  test('an answer with a status that is not described is refused', () => {
    const { check } = describeInterface(unscriptedDeps());
    const json = { detail: { error: 'insufficient_credits' } };
    check({ method: 'post', path: '/shapeB/search', status: 432, json });
    assert.throws(
      () => check({ method: 'post', path: '/shapeB/search', status: 402, json }),
      /does not describe 402/,
    );
  });

  test('every operation has a name of its own, and every priced one tells what it may cost to fail', () => {
    const { operations } = describeInterface(unscriptedDeps());
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { path, operation } of operations)
      if (JSON.stringify(operation.responses).includes('X-Credits-Remaining'))
        assert.ok(JSON.stringify(operation.responses).includes('insufficient_credits'), path);
  });
});

describe('GET /llms.txt', () => {
  test('tells in a few words how to call', async () => {
    const { status, text, headers } = await served.get('/llms.txt');
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(text, /^# Sanderling\n\n> /);
    for (const path of ['/v1/search', '/v1/contents', '/r/{url}', '/v1/keys/free'])
      assert.ok(text.includes(`${served.address}${path}`), path);
    assert.ok(text.length < 8_000);
  });
});

describe('the examples', () => {
  const examples = Object.entries(OPERATIONS).flatMap(([name, operation]) => {
    const [method = '', path = ''] = name.split(' ');
    // A balance needs a key, and auto-reload likewise.
    return operation.example === undefined || operation.tag === 'account'
      ? []
      : [{ method, path, operation }];
  });
  type Example = (typeof examples)[number];
  const codeOf = ({ operation, method, path }: Example, language: string): string => {
    const terms = { method, path, serviceUrl: served.address, withKey: true };
    return buildExamples(operation, terms).find((one) => one.language === language)?.code ?? '';
  };
  const checkOutput = ({ operation }: Example, output: string): void => {
    if (operation.answer === 'text/markdown') assert.equal(output.trim(), readAnswer().markdown.trim());
    else if (operation.answer === 'text/plain') assert.match(output, /^\[1\] Title: A$/m);
    else assert.equal(JSON.parse(output).error, undefined);
  };
  const env = { ...process.env, SANDERLING_API_KEY: '' };
  const runAlone = async (file: string, parameters: string[]): Promise<string> =>
    (await run(file, parameters, { env, timeout: 30_000 })).stdout;

  for (const example of examples) {
    test(`the curl example of ${example.operation.id} runs as it stands`, async () => {
      checkOutput(example, await runAlone('sh', ['-c', codeOf(example, 'curl')]));
    });
    test(`the JavaScript example of ${example.operation.id} runs as it stands`, async () => {
      const module = new URL(`data:text/javascript,${encodeURIComponent(codeOf(example, 'JavaScript'))}`);
      // A thread starts sooner than a process.
      const thread = new Worker(module, { env, stdout: true });
      const [output] = await Promise.all([text(thread.stdout), once(thread, 'exit')]);
      checkOutput(example, output);
    });
  }

  test('the Python examples run as they stand', async (t) => {
    const codes = examples.map((example) => codeOf(example, 'Python'));
    // Each has its own variables; one process loads the libraries of all.
    const outputs: string[] = JSON.parse(
      await runAlone('python3', ['-c', RUN_EACH_IN_PYTHON, JSON.stringify(codes)]),
    );
    for (const [place, example] of examples.entries())
      await t.test(example.operation.id, () => checkOutput(example, outputs[place] ?? ''));
  });
});

const RUN_EACH_IN_PYTHON = `
import contextlib, io, json, sys, traceback
def run(code):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            exec(compile(code, "example", "exec"), {"__name__": "__main__"})
        except BaseException:
            print(traceback.format_exc())
    return output.getvalue()
print(json.dumps([run(code) for code in json.loads(sys.argv[1])]))`;

/** Every value of a keyword inside a document, apart from its examples. */
function valuesOf(keyword: string, inside: unknown): string[] {
  if (typeof inside !== 'object' || inside === null) return [];
  const entries = Object.entries(inside).filter(([name]) => name !== 'examples');
  return entries.flatMap(([name, value]) => [
    ...(name === keyword ? [value] : []),
    ...valuesOf(keyword, value),
  ]);
}
