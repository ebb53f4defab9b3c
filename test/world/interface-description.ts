import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { AppParts } from '../../src/http/app.ts';
import type { JsonObject } from '../../src/http/call.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { READER_PATH, readerAddress } from '../../src/http/request-target.ts';
import { routesOf } from '../../src/http/routes.ts';

export type Described = {
  path: string;
  method: string;
  /** JSON Schema of the request body, where one is read. */
  body: JsonObject | null;
  operation: JsonObject;
};

/** What the service says of itself, as a client of the description sees it. */
export type InterfaceDescription = {
  document: JsonObject;
  operations: Described[];
  /** Fails when a JSON answer of a described operation is not as described. */
  check(answer: { method: string; path: string; status: number; json: unknown }): void;
};

/** The description of the app over these parts. */
export function describeInterface(parts: AppParts): InterfaceDescription {
  const routes = routesOf({
    ...parts,
    serviceUrl: () => 'http://service.example.org',
    isDraining: () => false,
  });
  // As it arrives, without what JSON does not carry.
  const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'http://service.example.org')));
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addSchema({ ...document, $id: 'document' });
  const operations = operationsOf(document);
  const known = new Map(operations.map((one) => [`${one.method} ${one.path}`, one]));
  const validators = new Map<string, ValidateFunction | null>();
  const validatorOf = (path: string, method: string, status: number): ValidateFunction | null => {
    const pointer = `#/paths/${escaped(path)}/${method}/responses/${status}/content/${escaped('application/json')}/schema`;
    const made = validators.get(pointer) ?? ajv.getSchema(`document${pointer}`) ?? null;
    validators.set(pointer, made);
    return made;
  };
  return {
    document,
    operations,
    check({ method, path, status, json }) {
      const [local = ''] = path.split('?');
      const described =
        readerAddress(path) === null ? local.replace(/(?<=.)\/$/, '') : `${READER_PATH}/{url}`;
      if (!known.has(`${method} ${described}`)) return;
      const validate = validatorOf(described, method, status);
      assert.ok(validate !== null, `${method} ${described} says nothing of ${status}`);
      assert.ok(
        validate(json),
        `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(json).slice(0, 500)}`,
      );
    },
  };
}

function operationsOf(document: JsonObject): Described[] {
  // The document is our own; its form is checked by a test of its own.
  const paths = document.paths as Record<string, Record<string, JsonObject>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation,
      body: bodySchemaOf(operation),
    })),
  );
}

type WithBody = { requestBody?: { content: { 'application/json': { schema: JsonObject } } } };

function bodySchemaOf(operation: JsonObject): JsonObject | null {
  return (operation as WithBody).requestBody?.content['application/json'].schema ?? null;
}

const escaped = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
