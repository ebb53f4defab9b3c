import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSpec } from './read-spec.ts';

test('packages of every registry', () => {
  const cases: [string, string, string, string | null][] = [
    ['npm:fastify@5', 'npm', 'fastify', '5'],
    ['npm:@fastify/cors', 'npm', '@fastify/cors', null],
    ['npm:@fastify/cors@^9.0.0', 'npm', '@fastify/cors', '^9.0.0'],
    ['pypi:django', 'pypi', 'django', null],
    ['pip:django>=4,<5', 'pypi', 'django', '>=4,<5'],
    ['crates:tokio@1.40', 'crates', 'tokio', '1.40'],
    ['go:golang.org/x/net@v0.30.0', 'go', 'golang.org/x/net', 'v0.30.0'],
    ['maven:com.google.code.gson:gson', 'maven', 'com.google.code.gson:gson', null],
    ['maven:com.google.code.gson:gson:2.11.0', 'maven', 'com.google.code.gson:gson', '2.11.0'],
    ['gem:rails@latest', 'gem', 'rails', null],
    ['composer:monolog/monolog@^3', 'composer', 'monolog/monolog', '^3'],
  ];
  for (const [text, ecosystem, name, range] of cases)
    assert.deepEqual(readSpec(text), { kind: 'package', ecosystem, name, range });
});

test('names that could become other addresses are refused', () => {
  for (const text of [
    'npm:../x',
    'go:a/../b',
    'pypi:a/b',
    'maven:a',
    'composer:monolog',
    'npm:a?b',
    'crates:a%2f',
  ])
    assert.throws(() => readSpec(text), /is not the name of a package/);
  assert.throws(() => readSpec('fastify'), /write npm:fastify@5/);
});

test('repositories, addresses and folders', () => {
  assert.deepEqual(readSpec('git:https://github.com/owner/name.git#v1.2.0:docs/'), {
    kind: 'git',
    address: 'https://github.com/owner/name',
    tag: 'v1.2.0',
    folder: 'docs',
  });
  assert.deepEqual(readSpec('https://fastify.dev/llms-full.txt'), {
    kind: 'llms',
    url: 'https://fastify.dev/llms-full.txt',
  });
  assert.deepEqual(readSpec('https://fastify.dev/docs/'), { kind: 'site', url: 'https://fastify.dev/docs/' });
  assert.equal(readSpec(import.meta.dirname).kind, 'folder');
});
