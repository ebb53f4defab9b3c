import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALL_SOURCES } from '../recall/sources/all-sources.ts';
import { readSourceSettings, type SourcesConfig } from './source-settings.ts';

const KEYLESS = [
  'arxiv',
  'crossref',
  'github',
  'hackernews',
  'npm',
  'stackexchange',
  'wikidata',
  'wikipedia',
];

function configOf(present: Record<string, string>): SourcesConfig {
  const read = readSourceSettings(present);
  assert.ok('config' in read, 'problems' in read ? read.problems.join('; ') : '');
  return read.config;
}

const on = (present: Record<string, string>): string[] => Object.keys(configOf(present).sources).toSorted();

describe('which sources are on', () => {
  test('nothing set: the local index and every source that needs no key; the others say why they are off', () => {
    const config = configOf({});
    assert.deepEqual(Object.keys(config.sources).toSorted(), KEYLESS);
    assert.equal(config.localIndex, true);
    assert.equal(config.contact, null);
    assert.deepEqual(config.sources.wikipedia, { baseUrl: 'https://en.wikipedia.org', key: null });
    assert.equal(config.sourcesOff.searxng, 'SEARXNG_URL is not set');
    assert.equal(config.sourcesOff.brave, 'BRAVE_API_KEY is not set');
    assert.equal(config.sourcesOff.semanticscholar, 'ACCEPT_PROVIDER_TERMS does not name it');
    const named = [...Object.keys(config.sources), ...Object.keys(config.sourcesOff)].toSorted();
    assert.deepEqual(named, ALL_SOURCES.map(({ name }) => name).toSorted());
  });

  const table: [present: Record<string, string>, more: string[]][] = [
    [{ SEARXNG_URL: 'http://127.0.0.1:8888/' }, ['searxng']],
    [{ BRAVE_API_KEY: 'k', ACCEPT_PROVIDER_TERMS: 'brave' }, ['brave']],
    [{ BRAVE_API_KEY: 'k', ACCEPT_PROVIDER_TERMS: ' Brave , ' }, ['brave']],
    [{ ACCEPT_PROVIDER_TERMS: 'semanticscholar' }, ['semanticscholar']],
    [{ OPENALEX_API_KEY: 'k' }, ['openalex']],
    [{ GITHUB_API_TOKEN: 'k' }, []],
  ];
  for (const [present, more] of table) {
    test(`${JSON.stringify(present)} adds ${more.join(' ') || 'nothing'}`, () => {
      assert.deepEqual(on(present), [...KEYLESS, ...more].toSorted());
    });
  }

  test('RECALL lists exactly the sources that are on', () => {
    const config = configOf({ RECALL: 'index, wikipedia', OPENALEX_API_KEY: 'k' });
    assert.deepEqual(Object.keys(config.sources), ['wikipedia']);
    assert.equal(config.sourcesOff.openalex, 'RECALL does not name it');
    assert.equal(configOf({ RECALL: 'wikipedia' }).localIndex, false);
    assert.deepEqual(on({ RECALL: 'index' }), []);
  });

  test('a source that RECALL does not name may be half configured', () => {
    assert.deepEqual(on({ RECALL: 'index', BRAVE_API_KEY: 'k' }), []);
  });

  test('a base address keeps its path without the last slash; a key is passed on', () => {
    const { sources } = configOf({ WIKIPEDIA_URL: 'http://127.0.0.1:1/wiki/', GITHUB_API_TOKEN: 'token' });
    assert.deepEqual(sources.wikipedia, { baseUrl: 'http://127.0.0.1:1/wiki', key: null });
    assert.deepEqual(sources.github, { baseUrl: 'https://api.github.com', key: 'token' });
  });
});

describe('peers', () => {
  const PEERS = 'Team=https://search.example.org/, laptop=http://10.0.0.7:8080';

  test('each is a source; without a key it is asked for every call', () => {
    const config = configOf({ PEERS });
    assert.deepEqual(config.sources['sanderling:team'], { baseUrl: 'https://search.example.org', key: null });
    assert.deepEqual(
      config.peers.map(({ name, weight, keyIds, hasKey }) => [name, weight, keyIds, hasKey]),
      [
        ['sanderling:team', 0.8, null, false],
        ['sanderling:laptop', 0.8, null, false],
      ],
    );
  });

  test('a key, a weight and the keys of callers belong to one of them', () => {
    const { peers } = configOf({
      PEERS,
      PEER_KEYS: 'team=sdl_a=b',
      PEER_WEIGHTS: 'team=0.5',
      PEER_CALLERS: 'team=key_1,team=key_2',
    });
    assert.partialDeepStrictEqual(peers[0], { weight: 0.5, keyIds: ['key_1', 'key_2'], hasKey: true });
    assert.partialDeepStrictEqual(peers[1], { weight: 0.8, keyIds: null, hasKey: false });
  });

  test('RECALL leaves out those that it does not name', () => {
    const config = configOf({ PEERS, RECALL: 'index,sanderling:team' });
    assert.deepEqual(Object.keys(config.sources), ['sanderling:team']);
    assert.equal(config.sourcesOff['sanderling:laptop'], 'RECALL does not name it');
  });
});

describe('a half-configured or invalid setting stops the start with one line that names it', () => {
  const table: [present: Record<string, string>, problem: RegExp][] = [
    [{ RECALL: 'index,google' }, /^RECALL: there is no source "google"; the sources are .*wikipedia/],
    [{ ACCEPT_PROVIDER_TERMS: 'bing' }, /^ACCEPT_PROVIDER_TERMS: there is no source "bing"/],
    [{ BRAVE_API_KEY: 'k' }, /^ACCEPT_PROVIDER_TERMS: must name brave to turn it on \(.*https:/],
    [{ ACCEPT_PROVIDER_TERMS: 'brave' }, /^BRAVE_API_KEY: brave needs a key$/],
    [{ BRAVE_URL: 'http://127.0.0.1:1' }, /^BRAVE_API_KEY: brave needs a key$/],
    [{ RECALL: 'brave' }, /^BRAVE_API_KEY: brave needs a key$/],
    [{ RECALL: 'searxng' }, /^SEARXNG_URL: searxng needs the address of your server$/],
    [{ RECALL: 'semanticscholar' }, /^ACCEPT_PROVIDER_TERMS: must name semanticscholar/],
    [{ SEMANTICSCHOLAR_API_KEY: 'k' }, /^ACCEPT_PROVIDER_TERMS: must name semanticscholar/],
    [{ WIKIPEDIA_URL: 'ftp://mirror.example.org' }, /^WIKIPEDIA_URL: must be an http\(s\) address/],
    [{ WIKIPEDIA_URL: 'https://user:word@mirror.example.org' }, /^WIKIPEDIA_URL: /],
    [{ WIKIPEDIA_URL: 'https://mirror.example.org/?a=b' }, /^WIKIPEDIA_URL: /],
    [{ GITHUB_API_TOKEN: 'two\r\nlines' }, /^GITHUB_API_TOKEN: /],
    [{ CONTACT: 'somebody' }, /^CONTACT: /],
    [{ PEERS: 'https://search.example.org' }, /^PEERS: must be a comma list of name=address/],
    [{ PEERS: 'team=https://user:word@search.example.org' }, /^PEERS: /],
    [{ PEERS: 'team=http://a.example,team=http://b.example' }, /^PEERS: names a peer twice$/],
    [{ PEER_KEYS: 'team=sdl_a' }, /^PEER_KEYS: must be a comma list of name=key, for names in PEERS$/],
    [{ PEERS: 'team=http://a.example', PEER_WEIGHTS: 'team=2' }, /^PEER_WEIGHTS: /],
    [{ PEERS: 'team=http://a.example', PEER_CALLERS: 'team=ann' }, /^PEER_CALLERS: must be a comma list/],
    [{ PEERS: 'team=http://a.example', PEER_KEYS: 'team=sdl_a' }, /^PEER_CALLERS: must say for whom team is/],
    [{ CONTACT: 'a@example.org\r\nx-header: 1' }, /^CONTACT: /],
  ];
  for (const [present, problem] of table) {
    test(JSON.stringify(present), () => {
      const read = readSourceSettings(present);
      assert.ok('problems' in read);
      assert.equal(read.problems.length, 1);
      assert.match(read.problems[0] ?? '', problem);
    });
  }

  test('CONTACT may be an email address or a web address', () => {
    assert.equal(configOf({ CONTACT: 'ops@search.example.org' }).contact, 'ops@search.example.org');
    assert.equal(
      configOf({ CONTACT: 'https://search.example.org/about' }).contact,
      'https://search.example.org/about',
    );
  });
});
