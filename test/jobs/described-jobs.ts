import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import type { Job } from '../../src/jobs/job-types.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type JobFixture, openJobFixture, type SitePages } from './job-fixture.ts';

/** The paths of the pages of a wide site. */
export const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `/p/${at}`);

/** A start page that links to so many pages. */
export const wide = (count: number): SitePages => ({
  '/': { links: paths(count) },
  ...Object.fromEntries(paths(count).map((path) => [path, { links: ['/'] }])),
});

/** How many pages were charged. */
export const sum = (charged: Map<string, number>): number =>
  [...charged.values()].reduce((total, pages) => total + pages, 0);

type GivenJobs = {
  /** Opens the site that the jobs of a test read. */
  open(site: SitePages, robots?: string): Promise<JobFixture>;
  jobOf(id: string): Promise<Job>;
};

/** Describes jobs on each store. */
export async function describeJobs(suite: (given: GivenJobs) => void): Promise<void> {
  await describeOnStores('a job', (databaseUrl) => {
    let fixture: JobFixture;
    const open = async (site: SitePages, robots?: string): Promise<JobFixture> => {
      fixture = await openJobFixture(databaseUrl, site, robots);
      return fixture;
    };
    afterEach(() => fixture.close());
    const jobOf = async (id: string) => {
      const job = await fixture.jobs.find('key one', id);
      assert.ok(job);
      return job;
    };
    suite({ open, jobOf });
  });
}
