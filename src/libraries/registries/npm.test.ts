import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createNpmRegistry } from './npm.ts';

const place = { base: 'https://registry.npmjs.org', authorization: 'Bearer own', isPublic: true };

describe('a package of the public registry', () => {
  const resolve = (name: string, needsToken: boolean) => {
    const asked: (string | null | undefined)[] = [];
    const requests = {
      isNamed: () => false,
      async get({ authorization }: { authorization?: string | null }) {
        asked.push(authorization);
        const isAbsent = needsToken && typeof authorization !== 'string';
        const body = Buffer.from(JSON.stringify({ version: '1.0.0', dist: {} }));
        return { status: isAbsent ? 404 : 200, headers: {}, body };
      },
    };
    const registry = createNpmRegistry(requests, { main: place, scopes: new Map() });
    const release = registry.resolve({ name, range: '1.0.0' }, new AbortController().signal);
    return release.then(({ isPrivate }) => ({ isPrivate, requests: asked.length }));
  };

  test('that only a token opens is private; one that all may read is not', async () => {
    assert.deepEqual(await resolve('@we/core', true), { isPrivate: true, requests: 2 });
    assert.deepEqual(await resolve('@babel/core', false), { isPrivate: false, requests: 2 });
  });

  test('without a scope is public, which costs no request', async () => {
    assert.deepEqual(await resolve('fastify', false), { isPrivate: false, requests: 1 });
  });
});
