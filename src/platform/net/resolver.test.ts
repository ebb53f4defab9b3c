import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FakeDns, type NameAnswer, startDns } from '../../../test/fixtures/dns-server.ts';
import { Failure } from '../../contract/errors.ts';
import { createResolver, type NameResolver } from './connector.ts';

let dns: FakeDns;
let resolver: NameResolver;
let now = 1_000;

before(async () => {
  dns = await startDns({
    'two.test': ['8.8.8.8', '1.1.1.1', '2606:4700::1111'],
    'four.test': ['8.8.8.8'],
    'six.test': ['2606:4700::1111'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'alias.test': { addresses: ['8.8.4.4'], cname: 'target.test' },
    'loop.test': { addresses: [], cname: 'loop.test' },
    'many.test': Array.from({ length: 200 }, (_, n) => `9.9.9.${n}`),
    'nothing.test': [],
    'failing.test': 'server failure',
    'silent.test': 'silence',
    'half.test': (_asked, type): NameAnswer => (type === 'A' ? ['8.8.8.8'] : 'server failure'),
    'brief.test': (asked) => ({ addresses: [`8.8.8.${asked}`], ttl: 5 }),
    'long.test': (asked) => ({ addresses: [`8.8.8.${asked}`], ttl: 86_400 }),
    'instant.test': (asked) => ({ addresses: [`8.8.8.${asked}`], ttl: 0 }),
  });
  resolver = createResolver({ servers: [dns.address], tryMs: 50, tries: 1, now: () => now });
});

after(async () => {
  resolver.close();
  await dns.close();
});

describe('all addresses of a name are returned', () => {
  const expected: Record<string, string[]> = {
    'two.test': ['8.8.8.8', '1.1.1.1', '2606:4700::1111'],
    'four.test': ['8.8.8.8'],
    'six.test': ['2606:4700::1111'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'alias.test': ['8.8.4.4'],
    'half.test': ['8.8.8.8'],
  };
  for (const [name, addresses] of Object.entries(expected))
    test(name, async () => assert.deepEqual(new Set(await resolver.resolve(name)), new Set(addresses)));

  test('200 addresses', async () => {
    assert.equal(new Set(await resolver.resolve('many.test')).size, 200);
  });
});

describe("a name without an address fails with 'dns'", () => {
  for (const name of ['unknown.test', 'nothing.test', 'loop.test', `${'a'.repeat(64)}.test`])
    test(name, () => assert.rejects(resolver.resolve(name), isDnsFailure(`the host ${name} does not exist`)));
  for (const name of ['failing.test', 'silent.test'])
    test(name, () =>
      assert.rejects(resolver.resolve(name), isDnsFailure(`the name servers did not answer for ${name}`)),
    );
});

describe('answers are cached', () => {
  test('for their time to live', async () => {
    assert.deepEqual(await resolver.resolve('brief.test'), ['8.8.8.1']);
    now += 4_999;
    assert.deepEqual(await resolver.resolve('brief.test'), ['8.8.8.1']);
    now += 2;
    assert.deepEqual(await resolver.resolve('brief.test'), ['8.8.8.2']);
  });

  test('for at most a minute', async () => {
    assert.deepEqual(await resolver.resolve('long.test'), ['8.8.8.1']);
    now += 59_999;
    assert.deepEqual(await resolver.resolve('long.test'), ['8.8.8.1']);
    now += 2;
    assert.deepEqual(await resolver.resolve('long.test'), ['8.8.8.2']);
  });

  test('not at all with a time to live of 0', async () => {
    assert.deepEqual(await resolver.resolve('instant.test'), ['8.8.8.1']);
    assert.deepEqual(await resolver.resolve('instant.test'), ['8.8.8.2']);
  });

  test('for ten seconds if they are failures', async () => {
    await assert.rejects(resolver.resolve('later.test'));
    dns.set('later.test', ['8.8.8.8']);
    now += 9_999;
    await assert.rejects(resolver.resolve('later.test'));
    assert.equal(dns.asked('later.test'), 1);
    now += 2;
    assert.deepEqual(await resolver.resolve('later.test'), ['8.8.8.8']);
  });

  test('and concurrent lookups of a name share one query', async () => {
    dns.set('shared.test', ['8.8.8.8']);
    await Promise.all(Array.from({ length: 20 }, () => resolver.resolve('shared.test')));
    assert.equal(dns.asked('shared.test'), 1);
  });
});

function isDnsFailure(message: string): (error: unknown) => boolean {
  return (error) => error instanceof Failure && error.fetch?.reason === 'dns' && error.message === message;
}
