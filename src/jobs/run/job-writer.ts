import { sql, type UpdateObject } from 'kysely';
import type { VisitOutcome } from '../../crawl/frontier/frontier-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { JobTables } from '../../platform/store/jobs/job-tables.ts';
import type { JobQueries, JobStore } from '../../platform/store/jobs/open-job-store.ts';
import type { Lease } from '../../platform/store/row-leases.ts';
import type { ChargePages, Job } from '../job-types.ts';
import { queueEvents } from '../rows/delivery-rows.ts';
import { jobLeases, LeaseLost, RESULTS_MS } from '../rows/job-rows.ts';
import {
  deletePages,
  insertPages,
  listBatchPageNumbers,
  type NewPage,
  placePages,
} from '../rows/page-rows.ts';
import { failPending, insertUrls, writeUrl } from '../rows/url-rows.ts';

/** The end of a job. `reason` says why it failed, or why it completed without reading everything. */
export type JobEnd = { state: 'completed' | 'failed'; reason: string | null };

/** The results of some visits, written in one transaction. */
type VisitBatch = {
  outcomes: VisitOutcome[];
  /** Pages for the answer, their numbers ascending. */
  pages: NewPage[];
  /** New addresses by depth. */
  found: { urls: string[]; depth: number }[];
  /** The address that the start address redirected to, if it was one of the visits. */
  base: string | null;
};

/**
 * Writes a job on behalf of the holder of its lease. Pages enter the answer in three steps, each of which may be repeated after a crash:
 *
 *     write   visits, new addresses and pages; the pages form the open batch and are not in the answer yet
 *     charge  the pages are charged under the reference `<job>/<batch>`, which counts once
 *     close   as many pages as were paid get their places in the answer; the rest are deleted
 *
 * So the credits charged equal the pages in the answer, whenever the process is killed. All methods throw LeaseLost.
 */
export type JobWriter = {
  /** Writes, charges and closes a batch. Resolves to the number of pages in the answer, and whether the whole batch was paid. */
  settle(batch: VisitBatch): Promise<ClosedBatch>;
  /** Charges and closes a batch that an earlier holder left open; null if there is none. */
  closeOpen(): Promise<ClosedBatch | null>;
  addUrls(found: VisitBatch['found'][number]): Promise<void>;
  markSeeded(): Promise<void>;
  end(how: JobEnd): Promise<void>;
};

export type ClosedBatch = { pages: number; isPaid: boolean };

type WriterDeps = { store: JobStore; charge: ChargePages; clock: Clock };

export function createJobWriter(deps: WriterDeps, job: Job, lease: Lease): JobWriter {
  const { store, clock } = deps;
  const { open_batch: openAtFirst } = job;
  const close = (batch: number): Promise<ClosedBatch> => closeBatch(deps, { job, lease, batch });
  return {
    async settle(batch) {
      const written = await store.transaction((tx) =>
        writeBatch(tx, { job, lease, batch, now: clock.now() }),
      );
      return batch.pages.length === 0 ? { pages: written.pages, isPaid: true } : close(written.batches);
    },
    closeOpen: async () => (openAtFirst === null ? null : close(openAtFirst)),
    addUrls: ({ urls, depth }) => store.transaction((tx) => addUrls(tx, { lease, urls, depth })),
    async markSeeded() {
      await update(store.db, lease, { seeded_at: clock.now() });
    },
    end: (how) =>
      store.transaction(async (tx) => {
        await endJob(tx, { job, lease, how, now: clock.now() });
      }),
  };
}

type Changes = UpdateObject<JobTables, 'job'>;
type WriteContext = { job: Job; lease: Lease };

/**
 * Changes the job's row if the lease is still held. Unless it closes a batch, it also requires that the job runs and has no open
 * batch: a second open batch would replace the first.
 */
async function update(
  tx: JobQueries,
  lease: Lease,
  changes: Changes,
  { closes = false }: { closes?: boolean } = {},
) {
  const held = tx.updateTable('job').set(changes).where(jobLeases.isHeld(lease));
  const changed = closes ? held : held.where('state', '=', 'running').where('open_batch', 'is', null);
  const row = await changed.returning(['urls', 'batches', 'pages']).executeTakeFirst();
  if (row === undefined) throw new LeaseLost(`job ${lease.id} is another's, has ended, or has an open batch`);
  return row;
}

async function writeBatch(
  tx: JobQueries,
  { job, lease, batch, now }: WriteContext & { batch: VisitBatch; now: number },
): Promise<{ batches: number; pages: number }> {
  const { outcomes, pages, found } = batch;
  const added = found.reduce((sum, { urls }) => sum + urls.length, 0);
  const settled = outcomes.filter(({ state }) => state !== 'retry').length;
  const failed = outcomes.filter(({ state }) => state === 'failed');
  const bytes = pages.reduce((sum, { document }) => sum + Buffer.byteLength(document), 0);
  const row = await update(tx, lease, {
    ...(pages.length === 0
      ? {}
      : { batches: sql<number>`batches + 1`, open_batch: sql<number>`batches + 1` }),
    ...(batch.base === null ? {} : { base: batch.base }),
    urls: sql<number>`urls + ${added}`,
    pending: sql<number>`pending + ${added - settled}`,
    failed: sql<number>`failed + ${failed.length}`,
    bytes: sql<number>`bytes + ${bytes}`,
    stalls: 0,
  });
  for (const outcome of outcomes) await writeUrl(tx, { jobId: job.id, outcome, now });
  let first = row.urls - added + 1;
  for (const { urls, depth } of found) {
    await insertUrls(tx, { jobId: job.id, urls, depth, first });
    first += urls.length;
  }
  await insertPages(tx, { jobId: job.id, batch: row.batches, pages });
  const events = failed.map(({ row: { id } }) => ({ event: 'page_failed', number: id }) as const);
  await queueEvents(tx, job, { events, now });
  return row;
}

/** Charges the pages of a written batch and puts the paid ones into the answer. */
async function closeBatch(
  { store, charge, clock }: WriterDeps,
  { job, lease, batch }: WriteContext & { batch: number },
): Promise<ClosedBatch> {
  const numbers = await listBatchPageNumbers(store.db, { jobId: job.id, batch });
  const { paid, credits } = await charge({
    keyId: job.key_id,
    reference: `${job.id}/${batch}`,
    pages: numbers.length,
  });
  return store.transaction(async (tx) => {
    const shown = numbers.slice(0, paid);
    // A cancelled job still gets the pages that were written before it was cancelled.
    const { pages } = await update(
      tx,
      lease,
      {
        open_batch: null,
        pages: sql<number>`pages + ${shown.length}`,
        credits: sql<number>`credits + ${credits}`,
      },
      { closes: true },
    );
    await placePages(tx, { jobId: job.id, numbers: shown, first: pages - shown.length + 1 });
    await deletePages(tx, { jobId: job.id, numbers: numbers.slice(paid) });
    const now = clock.now();
    await queueEvents(tx, job, { events: shown.map((number) => ({ event: 'page', number })), now });
    return { pages, isPaid: paid === numbers.length };
  });
}

async function addUrls(
  tx: JobQueries,
  { lease, urls, depth }: { lease: Lease; urls: string[]; depth: number },
): Promise<void> {
  const row = await update(tx, lease, {
    urls: sql<number>`urls + ${urls.length}`,
    pending: sql<number>`pending + ${urls.length}`,
  });
  await insertUrls(tx, { jobId: lease.id, urls, depth, first: row.urls - urls.length + 1 });
}

async function endJob(
  tx: JobQueries,
  { job, lease, how, now }: WriteContext & { how: JobEnd; now: number },
): Promise<void> {
  const { state, reason } = how;
  const given = reason === 'host_gave_up' ? await failPending(tx, { jobId: job.id, reason, now }) : 0;
  await update(tx, lease, {
    state,
    reason,
    pending: 0,
    failed: sql<number>`failed + ${given}`,
    ended_at: now,
    expires_at: now + RESULTS_MS,
  });
  await queueEvents(tx, job, { events: [{ event: state, number: null }], now });
}
