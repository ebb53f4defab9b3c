import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseRegistryFlags, readRegistrySettings } from './registry-settings.ts';

/** Reads the settings of files by path and of variables, as in the home folder `/home` and the project `/app`. */
function readSettings(files: Record<string, string>, env: Record<string, string> = {}, flags: string[] = []) {
  return readRegistrySettings({
    env,
    home: '/home',
    folder: '/app',
    readFile: (path) => files[path] ?? null,
    flags: parseRegistryFlags(flags),
    trustedHosts: [],
  });
}
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the settings of package clients', () => {
  test('without any, the public registries are asked, and no host may be private', () => {
    const { npm, pypi, go, maven, crates, namedHosts } = readSettings({});
    assert.deepEqual(npm.main, { base: 'https://registry.npmjs.org', authorization: null, isPublic: true });
    assert.deepEqual(
      [pypi[0]?.base, go.proxies[0]?.base, maven[0]?.base, crates.base, namedHosts.size],
      [
        'https://pypi.org/simple',
        'https://proxy.golang.org',
        'https://repo.maven.apache.org/maven2',
        'https://index.crates.io',
        0,
      ],
    );
  });

  test('.npmrc: the registry, scopes, and tokens by path and by variable; the project comes before the home folder', () => {
    const { npm, namedHosts } = readSettings(
      {
        '/app/.npmrc': 'registry=https://npm.example.org/all/\n@birds:registry = https://birds.example.org\n',
        '/home/.npmrc': `registry=https://other.example.org\n//npm.example.org/:_authToken=\${TOKEN}\n//birds.example.org/:username=wader\n//birds.example.org/:_password=c2VjcmV0\n`,
      },
      { TOKEN: 'abc' },
    );
    assert.deepEqual(npm.main, {
      base: 'https://npm.example.org/all',
      authorization: 'Bearer abc',
      isPublic: false,
    });
    assert.equal(npm.scopes.get('@birds')?.authorization, basic('wader:secret'));
    assert.deepEqual([...namedHosts].sort(), ['birds.example.org', 'npm.example.org']);
  });

  test('pip: variables before pip.conf, credentials in addresses and in .netrc', () => {
    const files = {
      '/home/.config/pip/pip.conf': '[global]\nindex-url = https://me:pass@pip.example.org/simple\n',
      '/home/.netrc': 'machine more.example.org login you password word\n',
    };
    const env = { PIP_EXTRA_INDEX_URL: 'https://more.example.org/simple/' };
    const { pypi } = readSettings(files, env);
    assert.deepEqual(
      pypi.map(({ base, authorization }) => [base, authorization]),
      [
        ['https://pip.example.org/simple', basic('me:pass')],
        ['https://more.example.org/simple', basic('you:word')],
      ],
    );
    const flagged = readSettings(files, env, ['pypi=https://flag.example.org/simple']).pypi;
    assert.deepEqual(
      flagged.map(({ base }) => base),
      ['https://flag.example.org/simple'],
    );
  });

  test('cargo: a replaced source with its token', () => {
    const config =
      '[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+https://crates.example.org/index/"\n';
    const { crates } = readSettings(
      { '/home/.cargo/config.toml': config },
      { CARGO_REGISTRIES_MIRROR_TOKEN: 'tok' },
    );
    assert.deepEqual(crates, {
      base: 'https://crates.example.org/index',
      authorization: 'tok',
      isPublic: false,
    });
  });

  test('go: the proxies of GOPROXY, and private modules', () => {
    const { go } = readSettings(
      {},
      {
        GOPROXY: 'https://go.example.org|https://proxy.golang.org,direct',
        GOPRIVATE: '*.corp.example.org,example.org/own',
      },
    );
    assert.deepEqual(
      go.proxies.map(({ base, isPublic }) => [base, isPublic]),
      [
        ['https://go.example.org', false],
        ['https://proxy.golang.org', true],
      ],
    );
    assert.deepEqual(['git.corp.example.org/x', 'example.org/own/x', 'example.org/other'].map(go.isPrivate), [
      true,
      true,
      false,
    ]);
    assert.deepEqual(readSettings({}, { GOPROXY: 'off' }).go.proxies, []);
  });

  test('settings.xml: a mirror with the password of its server; repositories before the central one', () => {
    const servers =
      '<servers><server><id>m</id><username>u</username><password>p</password></server></servers>';
    const mirror = `<settings>${servers}<mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf><url>https://mvn.example.org/all</url></mirror></mirrors></settings>`;
    assert.deepEqual(readSettings({ '/home/.m2/settings.xml': mirror }).maven, [
      { base: 'https://mvn.example.org/all', authorization: basic('u:p'), isPublic: false },
    ]);
    const profile =
      '<settings><profiles><profile><repositories><repository><id>x</id><url>https://own.example.org</url></repository></repositories></profile></profiles></settings>';
    assert.deepEqual(
      readSettings({ '/home/.m2/settings.xml': profile }).maven.map(({ base }) => base),
      ['https://own.example.org', 'https://repo.maven.apache.org/maven2'],
    );
  });

  test('flags that name no ecosystem or no address are refused, without a password in the message', () => {
    assert.throws(() => parseRegistryFlags(['deno=https://x']), /must be like npm=/);
    assert.throws(
      () => readSettings({}, {}, ['npm=ftp://me:secret@example.org']),
      (error: Error) => !error.message.includes('secret') && /is not the address/.test(error.message),
    );
  });
});
