import type { AppDeps } from '../../../src/http/server/app.ts';
import type { Monitor } from '../../../src/monitors/monitor-types.ts';
import type { PageCollection, SignInProfile } from '../../../src/sites/private-site-types.ts';
import { compareTexts } from '../../../src/text/changes/compare-texts.ts';
import { patchLines } from '../../../src/text/changes/write-changes.ts';
import type { Records, ResearchRecord } from '../../../src/versions/records.ts';
import type { PageVersion } from '../../../src/versions/versions.ts';
import {
  contentsAnswer,
  readAnswer,
  rerankAnswer,
  researchAnswer,
  searchAnswer,
  verifyAnswer,
} from '../../harness.ts';

/** Two versions of a page that has not changed much. */
const VERSIONS = [2, 1].map(
  (number): PageVersion => ({
    id: number,
    number,
    url: 'https://example.org/',
    title: 'A',
    status: 'present',
    firstSeenAt: number * 1_000,
    lastSeenAt: number * 1_000,
    visits: 1,
    contentHash: `sha256:${'0a'.repeat(32)}`,
    chars: 3,
  }),
);
/** A record of a search that read nothing. */
export const RECORD: ResearchRecord = {
  owner: '',
  id: `rec_${'0'.repeat(32)}`,
  operation: 'search',
  title: 'a',
  madeAt: 0,
  request: { query: 'a' },
  answer: {},
  pages: [],
  forgotten: 0,
  bytes: 1,
};
export const RECORDS: Records = {
  keep: async ({ owner }) => ({ owner, id: RECORD.id }),
  add: async () => {},
  list: async () => [{ ...RECORD, pages: 0 }],
  find: async () => RECORD,
  findPage: async () => null,
  remove: async () => true,
  forget: async () => 0,
};
export const MONITOR: Monitor = {
  id: 'mon_1',
  owner: '',
  keyId: null,
  order: {
    name: null,
    target: { kind: 'page', url: 'https://example.org/' },
    schedule: { kind: 'adaptive' },
    conditions: [],
    channels: [],
    keep: true,
  },
  state: 'active',
  reason: null,
  createdAt: 0,
  nextAt: 0,
  checkedAt: null,
  intervalMs: 3_600_000,
  checks: 0,
  failures: 0,
  outcome: null,
  deliveryProblem: null,
};

/** Every operation with an answer, for requests of any shape. */
const SITE: SignInProfile = {
  id: 'sit_0123456789abcdef0123',
  owner: 'key_1',
  name: 'intranet',
  origins: ['https://intranet.example.com'],
  method: 'headers',
  collection: 'intranet',
  createdAt: Date.UTC(2026, 0, 1),
};
const COLLECTION: PageCollection = {
  id: 'col_0123456789abcdef01234567',
  owner: 'key_1',
  name: 'intranet',
  readers: [],
  pages: 3,
  bytes: 3_000,
  createdAt: Date.UTC(2026, 0, 1),
};

export const SCRIPTED: Partial<AppDeps> = {
  search: async ({ numResults }) => {
    const answer = searchAnswer();
    return { ...answer, results: answer.results.slice(0, numResults) };
  },
  similar: async () => searchAnswer(),
  libraries: {
    find: async () => [],
    choose: async ({ kinds }) => ({ filter: { versions: [], kinds }, libraries: [], notes: [] }),
    places: async () => new Map(),
    projects: async () => [],
  },
  searchDocs: async () => ({
    passages: [],
    libraries: [],
    notes: [],
    search: { cache: 'miss', incomplete: [], timingsMs: {} },
  }),
  contents: async () => contentsAnswer(),
  read: async () => readAnswer(),
  versions: async () => ({
    list: async () => VERSIONS,
    findAt: async () => VERSIONS[0] ?? null,
  }),
  compareVersions: {
    byBlock: async () => compareTexts('# A', '# B'),
    byLine: async (_pair, { names }) => patchLines('# A', '# B', names),
  },
  records: async () => RECORDS,
  replayRecord: async () => ({ record: RECORD, pages: [], citations: [] }),
  siteCrawl: async () => [{ url: 'https://example.org/', title: 'A', text: '# A', passages: null, late: [] }],
  siteMap: async () => ['https://example.org/'],
  research: async ({ maxSearches }) => {
    const answer = researchAnswer();
    return { ...answer, searches: answer.searches.slice(0, maxSearches) };
  },
  verify: async () => verifyAnswer(),
  // Any text is an address here: the description does not say which are not.
  checkUrl: () => new URL('https://example.org/'),
  jobs: {
    start: async () => '6f1c3c8e-9f1b-4a51-8d3e-2b7f3c0f6a10',
    find: async () => null,
    documents: async () => ({ documents: [], last: 0 }),
    unread: async () => ({ failed: [], skipped: [] }),
    running: async () => [],
    cancel: async () => null,
    counts: async () => [],
  },
  monitors: {
    create: async ({ owner, keyId, order }) => ({ ...MONITOR, owner, keyId, order }),
    find: async (_owner, id) => ({ ...MONITOR, id }),
    list: async () => [MONITOR],
    listAll: async () => [MONITOR],
    change: async (_owner, id) => ({ ...MONITOR, id }),
    remove: async () => true,
    events: async () => [],
    feedTokenOf: (id) => `token-of-${id}`,
    findByFeedToken: async () => MONITOR,
  },
  privateSites: {
    put: async ({ owner, name, origins, collection }) => ({
      ...SITE,
      owner,
      name,
      origins: [...origins],
      collection,
    }),
    list: async () => [SITE],
    find: async (_owner, name) => ({ ...SITE, name }),
    remove: async () => true,
    count: async () => ({ profiles: 1, unreadable: 0 }),
    addSignIns: (openPage) => openPage,
    findOwner: () => SITE.owner,
    collections: {
      choose: async () => ({ filter: { versions: [], kinds: [] }, restoreUrls: (value) => value }),
      list: async () => [COLLECTION],
      open: async () => COLLECTION,
      setReaders: async (_owner, name, readers) => ({ ...COLLECTION, name, readers: [...readers] }),
      file: async () => {},
      remove: async () => true,
    },
  },
  rerank: rerankAnswer,
};
