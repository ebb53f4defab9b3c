import assert from 'node:assert/strict';
import { after, describe } from 'node:test';
import type { Frontiers } from '../../../src/crawl/background/help-crawls.ts';
import { openCrawlStore } from '../../../src/platform/store/crawls/open-crawl-store.ts';
import { createTestDatabase, noServer } from '../../fixtures/postgres.ts';
import type { CrawlFixture, CrawlFixtureOptions } from '../../flows/crawl-fixture.ts';

/** A web of hosts with some pages each; the first page of a host links to the others and to the first of the next host. */
export function hosts(count: number, pages = 3): CrawlFixtureOptions['pages'] {
  return Object.fromEntries(
    Array.from({ length: count }, (_, place) => {
      const host = `http://host-${place}.test`;
      const others = Array.from({ length: pages - 1 }, (_each, page) => `${host}/${page + 1}`);
      return [
        [`${host}/`, { links: [...others, `http://host-${place + 1}.test/`] }] as const,
        ...others.map((url) => [url, {}] as const),
      ];
    }).flat(),
  );
}

/** What the fixtures opened; no page twice. */
export const openedOnce = (fixtures: readonly CrawlFixture[]): string[] => {
  const opened = fixtures.flatMap((fixture) => fixture.opened.map(({ url }) => url));
  assert.deepEqual(opened.toSorted(), [...new Set(opened)].sort(), 'no page was opened twice');
  return opened.sort();
};

type Processes = {
  /** A process of its own, which shares an index with those at the same place. */
  processAt(place: string): Promise<Frontiers>;
  /** A place where no crawl was yet. */
  anew(): string;
};

/** Describes the frontier that several processes share, where a server of PostgreSQL listens. */
export async function describeOnPostgres(suite: (processes: Processes) => void): Promise<void> {
  const database = await createTestDatabase();
  describe('the frontier of a crawl, on PostgreSQL', { skip: database === null ? noServer : false }, () => {
    const stores: Frontiers['store'][] = [];
    after(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await database?.drop();
    });
    const processAt = async (place: string): Promise<Frontiers> => {
      const store = await openCrawlStore(database?.url ?? '');
      stores.push(store);
      return { store, place, atWork: new Set() };
    };
    const anew = (): string => `place ${crypto.randomUUID()}`;
    suite({ processAt, anew });
  });
}
