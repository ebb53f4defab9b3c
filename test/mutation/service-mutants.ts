import type { Mutant } from './mutant.ts';

const CURSOR_SUITE = ['src/http/mcp/cursor.test.ts', 'src/http/mcp/call-tool.test.ts'];
const PRIVACY_SUITE = ['src/pages/privacy/determine-privacy.test.ts'];
const POOL_SUITE = ['src/platform/threads/task-pool.test.ts'];
const QUEUE_SUITE = ['src/platform/fairness/fair-queue.test.ts'];
const READINGS = 'src/index/results/page-readings.ts';
const TIERS = 'src/pages/shared/shared-pages.ts';
const TIERS_SUITE = ['test/contract/page-tiers.test.ts'];
const CONNECTIONS_SUITE = ['test/http/server/connections.test.ts'];

/** Faults in the cursor of the tools, in what callers share, and in connections. */
export const serviceMutants: Mutant[] = [
  {
    name: 'place-of-a-worker-filled-twice',
    file: 'src/app/workers/supervisor.ts',
    find: 'if (!isFree()) return;',
    replace: '',
    suite: ['src/app/workers/supervisor.test.ts'],
  },
  {
    name: 'shared-readings-half-written-count',
    file: READINGS,
    find: 'return sum === computeChecksum(key, data) ? data : null;',
    replace: 'return data;',
    suite: ['src/index/results/page-readings.test.ts'],
  },
  {
    name: 'forgotten-words-stay-shared',
    file: READINGS,
    find: 'now) === before) wipe();',
    replace: 'now) === before) return;',
    suite: ['src/index/results/page-readings.test.ts'],
  },
  {
    name: 'late-holder-keeps-a-removed-page',
    file: TIERS,
    find: 'else if (await shared.put(url, page, token)) await own.put(url, page);',
    replace: 'else await Promise.all([own.put(url, page), shared.put(url, page, token)]);',
    suite: TIERS_SUITE,
  },
  {
    name: 'removed-page-is-kept-on-its-way',
    file: TIERS,
    find: 'if (removals !== before) return shared.get(url);',
    replace: '',
    suite: TIERS_SUITE,
  },
  {
    name: 'later-reading-leaves-a-kept-answer',
    file: 'src/index/recent-changes.ts',
    find: 'readings.get(url) === fetchedAt',
    replace: 'readings.has(url)',
    suite: ['src/index/recent-changes.test.ts'],
  },
  {
    name: 'own-reading-drops-a-kept-answer',
    file: 'src/search/search.ts',
    find: 'read.set(resolveOwnAddress(page.article), page.fetchedAt);',
    replace: '',
    suite: ['test/http/calls/cached-answers.test.ts'],
  },
  {
    name: 'cut-splits-a-character',
    file: 'src/http/mcp/call-tool.ts',
    find: 'return splitsPair ? to - 1 : to;',
    replace: 'return to;',
    suite: CURSOR_SUITE,
  },
  {
    name: 'cut-repeats-a-line-break',
    file: 'src/http/mcp/call-tool.ts',
    find: 'return found + boundary.length;',
    replace: 'return found;',
    suite: CURSOR_SUITE,
  },
  {
    name: 'footer-exceeds-the-budget',
    file: 'src/http/mcp/call-tool.ts',
    find: 'Math.max(room - footerChars, 2)',
    replace: 'Math.max(room, 2)',
    suite: CURSOR_SUITE,
  },
  {
    name: 'cursor-continues-another-text',
    file: 'src/http/mcp/call-tool.ts',
    find: 'cursor !== null && cursor.digest !== digest',
    replace: 'cursor !== null && digest === null',
    suite: CURSOR_SUITE,
  },
  {
    name: 'hang-up-ends-a-warm-thread',
    file: 'src/platform/threads/task-pool.ts',
    find: 'timer = setTimeout(end, UNWANTED_MS);',
    replace: 'end();',
    suite: POOL_SUITE,
  },
  {
    name: 'unwanted-task-runs-on',
    file: 'src/platform/threads/task-pool.ts',
    find: 'timer = setTimeout(end, UNWANTED_MS);',
    replace: '',
    suite: POOL_SUITE,
  },
  {
    name: 'no-store-pages-are-shared',
    file: 'src/pages/privacy/determine-privacy.ts',
    find: "return 'no_store';",
    replace: 'return null;',
    suite: PRIVACY_SUITE,
  },
  {
    name: 'redirects-to-a-private-page-are-shared',
    file: 'src/pages/privacy/determine-privacy.ts',
    find: 'steps.slice(0, at + 1)',
    replace: 'steps.slice(at, at + 1)',
    suite: PRIVACY_SUITE,
  },
  {
    name: 'secrets-behind-the-hash-are-overlooked',
    file: 'src/pages/privacy/secret-in-address.ts',
    find: '...new URLSearchParams(url.hash.slice(1)),',
    replace: '',
    suite: ['src/pages/privacy/secret-in-address.test.ts'],
  },
  {
    name: 'private-result-is-shared-in-flight',
    file: 'src/pages/single-flight.ts',
    find: 'known === undefined || mayBeShared(result)',
    replace: 'known === undefined || result !== undefined',
    suite: ['src/pages/single-flight.test.ts'],
  },
  {
    name: 'one-tenant-takes-every-slot',
    file: 'src/platform/fairness/fair-queue.ts',
    find: '< perFreeSlot * free',
    replace: '< perFreeSlot * slots',
    suite: QUEUE_SUITE,
  },
  {
    name: 'first-line-is-always-served-first',
    file: 'src/platform/fairness/fair-queue.ts',
    find: 'lines.delete(tenant);\n        lines.set(tenant, line);',
    replace: '',
    suite: QUEUE_SUITE,
  },
  {
    name: 'flood-refuses-its-neighbours',
    file: 'src/platform/fairness/fair-queue.ts',
    find: 'if (last === null || lines.sizeOf(last.tenant) <= lines.sizeOf(tenant) + 1) throw',
    replace: 'if (last !== undefined) throw',
    suite: QUEUE_SUITE,
  },
  {
    name: 'second-slot-is-never-given-back',
    file: 'src/platform/fairness/fair-queue.ts',
    find: 'also?.release(tenant);',
    replace: '',
    suite: [...QUEUE_SUITE, 'src/platform/net/follow-redirects.test.ts'],
  },
  {
    name: 'pipelined-requests-are-unbounded',
    file: 'src/http/server/connections.ts',
    find: 'connection.turns.length === UNANSWERED_MAX',
    replace: 'connection.turns.length === -1',
    suite: CONNECTIONS_SUITE,
  },
  {
    name: 'pipelined-requests-start-together',
    file: 'src/http/server/connections.ts',
    find: 'if (connection.turns.length === 1) connection.turns[0]?.();',
    replace: 'connection.turns.at(-1)?.();',
    suite: CONNECTIONS_SUITE,
  },
  {
    name: 'too-few-descriptors-are-kept-back',
    file: 'src/http/server/connections.ts',
    find: 'Math.max(descriptors - DESCRIPTORS_RESERVED',
    replace: 'Math.max(descriptors',
    suite: ['src/http/server/connections.test.ts'],
  },
];
