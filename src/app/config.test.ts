import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ConfigError, readConfig, SETTINGS } from './config.ts';
import { SOURCE_SETTING_NAMES } from './source-settings.ts';

describe('readConfig', () => {
  test('an empty environment gives the defaults, frozen', () => {
    const config = readConfig({ PORT: '', PATH: '/bin' });
    assert.equal(config.port, 8080);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.baseUrl, null);
    assert.deepEqual(config.fetchAllowPrivate, []);
    assert.equal(config.rerankModel, null);
    assert.equal(config.ledgerDetailDays, 90);
    assert.ok(Object.isFrozen(config));
  });

  test('the public address is the contact of the sources, unless it is of this machine', () => {
    assert.equal(
      readConfig({ BASE_URL: 'https://search.example.org' }).contact,
      'https://search.example.org',
    );
    assert.equal(readConfig({ BASE_URL: 'http://localhost:8080' }).contact, null);
    assert.equal(
      readConfig({ BASE_URL: 'http://localhost:8080', CONTACT: 'ops@example.org' }).contact,
      'ops@example.org',
    );
  });

  test('lists are split and trimmed', () => {
    assert.deepEqual(readConfig({ FETCH_ALLOW_PRIVATE: '10.0.0.0/8, fd00::/8' }).fetchAllowPrivate, [
      '10.0.0.0/8',
      'fd00::/8',
    ]);
  });

  test('a number of bytes may have a unit', () => {
    const { indexBytesMax, cacheBytesMax } = readConfig({ INDEX_BYTES_MAX: '500M', CACHE_BYTES_MAX: '2g' });
    assert.deepEqual([indexBytesMax, cacheBytesMax], [500 * 1_048_576, 2 * 1_073_741_824]);
    assert.equal(readConfig({}).indexBytesMax, null);
  });

  const refused: [string, string][] = [
    ['PORT', '70000'],
    ['PORT', 'http'],
    ['BASE_URL', 'search.example.org'],
    ['FETCH_ALLOW_PRIVATE', '10.0.0.1'],
    ['FETCH_ALLOW_PRIVATE', '999.0.0.0/8'],
    ['DNS_SERVERS', 'resolver.example.org'],
    ['INDEX_READS', 'no'],
    ['LOG_LEVEL', 'loud'],
    ['LEDGER_DETAIL_DAYS', '6'],
    ['INDEX_BYTES_MAX', '2T'],
    ['CACHE_BYTES_MAX', '1000'],
    ['ADMIN_TOKEN', 'short'],
    ['REFRESH_PER_HOUR', '-1'],
    ['ANSWER_CONFIDENCE', '65'],
    ['BRAND_COLOR', 'teal'],
    ['BRAND_NAME', 'a'.repeat(41)],
  ];
  for (const [name, value] of refused) {
    test(`${name}=${value} is refused by name`, () => {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => error instanceof ConfigError && error.message.startsWith(`${name}: `),
      );
    });
  }

  test('.env.example names every setting and no other', () => {
    const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
    const named = [...text.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    assert.deepEqual(named.toSorted(), [...Object.keys(SETTINGS.shape), ...SOURCE_SETTING_NAMES].toSorted());
  });
});
