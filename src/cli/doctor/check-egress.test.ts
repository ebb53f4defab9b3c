import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../app/config.ts';
import { checkEgress } from './check-egress.ts';

test('without a setting there is no way but the direct one, whatever NO_PROXY says', () => {
  assert.equal(readConfig({}).egress, null);
  assert.equal(readConfig({ NO_PROXY: 'example.org', EGRESS_PROXY_JUDGES: 'on' }).egress, null);
});

test('rules come in their order: by host, NO_PROXY, all others', () => {
  const { egress } = readConfig({
    EGRESS_PROXY: 'http://us%40er:p%3Ass@proxy.example:3128',
    NO_PROXY: '.corp.example, 10.0.0.0/8',
    EGRESS_RULES: 'api.example=socks5h://127.0.0.1, near.example=direct',
  });
  assert.deepEqual(egress?.rules, [
    { hosts: 'api.example', proxy: { kind: 'socks5', host: '127.0.0.1', port: 1080, login: null } },
    { hosts: 'near.example', proxy: null },
    { hosts: '.corp.example', proxy: null },
    { hosts: '10.0.0.0/8', proxy: null },
    {
      hosts: '*',
      proxy: {
        kind: 'http',
        host: 'proxy.example',
        port: 3128,
        login: { user: 'us@er', password: 'p:ss' },
      },
    },
  ]);
});

test('what cannot be meant is refused, by the name of the setting', () => {
  const wrong: Record<string, string[]> = {
    EGRESS_PROXY: [
      'proxy.example:3128',
      'ftp://proxy.example',
      'http://proxy.example/path',
      `http://${'a'.repeat(300)}@p.example`,
    ],
    NO_PROXY: ['http://example.org'],
    EGRESS_RULES: ['example.org', 'example.org=nowhere', '=direct'],
    EGRESS_CLIENT_CERTS: ['example.org', 'example.org='],
    EGRESS_PROXY_JUDGES: ['yes'],
  };
  for (const [name, values] of Object.entries(wrong))
    for (const value of values)
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => error instanceof ConfigError && error.message.startsWith(name),
        `${name}=${value}`,
      );
});

test('no login is shown to the operator', () => {
  const { inForce } = readConfig({
    EGRESS_PROXY: 'http://user:hidden@proxy.example:3128',
    EGRESS_RULES: 'a.example=socks5://user:hidden@p.example:1080, b.example=direct',
  });
  assert.doesNotMatch(JSON.stringify(inForce), /hidden/);
});

test('doctor says which way each call goes, and which file cannot be used', () => {
  assert.equal(checkEgress(readConfig({ RECALL: 'index' })).mark, 'off');
  const config = readConfig({
    RECALL: 'index,searxng,wikipedia',
    SEARXNG_URL: 'http://searxng:8080',
    EGRESS_PROXY: 'http://user:hidden@proxy.example:3128',
    NO_PROXY: '.corp.example',
    MODEL_URL: 'http://gpu.corp.example:8000/v1',
    MODEL_NAME: 'm',
  });
  const { mark, text } = checkEgress(config);
  assert.equal(mark, 'ok');
  assert.equal(
    text,
    'pages, rendering, webhooks, imports and registries, wikipedia: through http://proxy.example:3128; searxng, the model: directly; rules for .corp.example; names are judged here',
  );
  const broken = checkEgress(readConfig({ RECALL: 'index', EGRESS_CA_FILE: '/nowhere/ca.pem' }));
  assert.deepEqual([broken.mark, broken.text], ['failure', 'EGRESS_CA_FILE: /nowhere/ca.pem cannot be read']);
});
