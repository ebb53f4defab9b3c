import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseHeldVersion, matchLibraries, parseAsked } from './library-names.ts';

const HELD = [
  'npm:fastify',
  'npm:next',
  'npm:react-router',
  'npm:@nestjs/core',
  'npm:@babel/core',
  'npm:redis',
  'pypi:redis',
  'pypi:scikit-learn',
  'pypi:PyJWT',
  'pypi:python-dateutil',
  'pypi:ruamel.yaml',
  'crates:tokio',
  'go:golang.org/x/net',
  'maven:com.google.guava:guava',
].map((key) => {
  const [, ecosystem = '', name = ''] = /^(\w+):(.+)$/.exec(key) ?? [];
  return { ecosystem, name };
});
const ECOSYSTEMS = ['npm', 'pypi', 'crates', 'go', 'maven'];

function find(text: string): string[] {
  const found = matchLibraries(HELD, parseAsked(text, ECOSYSTEMS));
  return found
    .filter(({ match }) => match === found[0]?.match)
    .map(({ library: { ecosystem, name } }) => `${ecosystem}:${name}`);
}

describe('matchLibraries', () => {
  const cases: [string, string[]][] = [
    ['fastify', ['npm:fastify']],
    ['Fastify', ['npm:fastify']],
    ['fastfy', ['npm:fastify']],
    ['fatsify', ['npm:fastify']],
    ['next.js', ['npm:next']],
    ['nextjs', ['npm:next']],
    ['react-router-dom', ['npm:react-router']],
    ['React Router', ['npm:react-router']],
    ['sklearn', ['pypi:scikit-learn']],
    ['scikit_learn', ['pypi:scikit-learn']],
    ['sci-kit lern', ['pypi:scikit-learn']],
    ['jwt', ['pypi:PyJWT']],
    ['dateutil', ['pypi:python-dateutil']],
    ['ruamel-yaml', ['pypi:ruamel.yaml']],
    ['tokio-rs', ['crates:tokio']],
    ['guava', ['maven:com.google.guava:guava']],
    ['net', ['go:golang.org/x/net']],
    ['/npm/@nestjs/core', ['npm:@nestjs/core']],
    ['nestjs', ['npm:@nestjs/core']],
    ['core', ['npm:@nestjs/core', 'npm:@babel/core']],
    ['redis', ['npm:redis', 'pypi:redis']],
    ['pypi:redis@5', ['pypi:redis']],
    ['crates:fastify', []],
    ['express', []],
    ['', []],
    ['---', []],
  ];
  for (const [asked, expected] of cases)
    test(`${asked || 'nothing'}: ${expected.join(', ') || 'none'}`, () =>
      assert.deepEqual(find(asked), expected));
});

test('parseAsked', () => {
  const cases: [string, (string | null)[]][] = [
    ['fastify', [null, 'fastify', null]],
    ['fastify@5', [null, 'fastify', '5']],
    ['npm:@nestjs/core@10.1', ['npm', '@nestjs/core', '10.1']],
    ['@nestjs/core', [null, '@nestjs/core', null]],
    ['/pypi/django@v5.0', ['pypi', 'django', '5.0']],
    ['com.google.guava:guava', [null, 'com.google.guava:guava', null]],
    ['/vercel/next.js', [null, 'next.js', null]],
    ['/vercel/next.js/v15.1.8', [null, 'next.js', '15.1.8']],
    ['fastify@latest', [null, 'fastify', null]],
  ];
  for (const [text, [ecosystem, name, version]] of cases)
    assert.deepEqual(parseAsked(text, ECOSYSTEMS), { ecosystem, name, version }, text);
});

test('chooseHeldVersion', () => {
  const held = ['5.9.0', '5.10.1', '6.0.0-rc.1', '4.28.0'];
  const cases: [string | null, string | null][] = [
    [null, '5.10.1'],
    ['6', '6.0.0-rc.1'],
    ['6.0.0-rc.1', '6.0.0-rc.1'],
    ['5', '5.10.1'],
    ['^5', '5.10.1'],
    ['5.9', '5.9.0'],
    ['5.x', '5.10.1'],
    ['5.1', null],
    ['4.28.0', '4.28.0'],
    ['7', null],
  ];
  for (const [asked, expected] of cases)
    assert.equal(chooseHeldVersion(held, asked), expected, String(asked));
  assert.equal(chooseHeldVersion(['6.0.0', '6.0.0-rc.1'], null), '6.0.0');
  assert.equal(chooseHeldVersion(['v1.2.0', 'v1.10.0'], '1'), 'v1.10.0');
  assert.equal(chooseHeldVersion(['newest'], null), 'newest');
});
