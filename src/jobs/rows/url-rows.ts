import type { FrontierRow, VisitOutcome } from '../../crawl/frontier/frontier-types.ts';
import type { JobQueries } from '../../platform/store/jobs/open-job-store.ts';
import { toHostKey } from '../../text/urls/sites.ts';

/** Maximum rows of one INSERT. */
const INSERTED_ROWS = 100;

/** Adds addresses as pending, numbered from `first`. */
export async function insertUrls(
  tx: JobQueries,
  { jobId, urls, depth, first }: { jobId: string; urls: string[]; depth: number; first: number },
): Promise<void> {
  const nothing = { attempts: 0, not_before: 0, reason: null, page_url: null, title: null, settled_at: null };
  const rows = urls.map((url, place) => ({
    job_id: jobId,
    number: first + place,
    url,
    host: toHostKey(url),
    depth,
    state: 'pending' as const,
    ...nothing,
  }));
  for (let at = 0; at < rows.length; at += INSERTED_ROWS)
    await tx
      .insertInto('job_url')
      .values(rows.slice(at, at + INSERTED_ROWS))
      .execute();
}

/** Lists all addresses of a job. */
export function listKnownUrls(db: JobQueries, jobId: string) {
  return db
    .selectFrom('job_url')
    .select(['url', 'host', 'state', 'page_url', 'title'])
    .where('job_id', '=', jobId)
    .execute();
}

/** Lists the pending addresses of a host in breadth-first order, retries last. */
export function listNextUrls(
  db: JobQueries,
  jobId: string,
  { host, limit }: { host: string; limit: number },
): Promise<FrontierRow[]> {
  return db
    .selectFrom('job_url')
    .select(['number as id', 'url', 'host', 'depth', 'attempts', 'not_before'])
    .where('job_id', '=', jobId)
    .where('state', '=', 'pending')
    .where('host', '=', host)
    .orderBy('attempts')
    .orderBy('depth')
    .orderBy('number')
    .limit(limit)
    .execute();
}

/** Writes the outcome of a visit. */
export async function writeUrl(
  tx: JobQueries,
  { jobId, outcome, now }: { jobId: string; outcome: VisitOutcome; now: number },
): Promise<void> {
  const { id, attempts } = outcome.row;
  await tx
    .updateTable('job_url')
    .set({ attempts: attempts + 1, ...buildUrlChanges(outcome, now) })
    .where('job_id', '=', jobId)
    .where('number', '=', id)
    .execute();
}

function buildUrlChanges(outcome: VisitOutcome, now: number) {
  const { state } = outcome;
  if (state === 'retry') return { reason: outcome.reason, not_before: outcome.notBefore };
  const settled = { state, settled_at: now };
  if (state === 'done') return { ...settled, reason: null, page_url: outcome.pageUrl, title: outcome.title };
  if (state === 'duplicate') return { ...settled, reason: null, page_url: outcome.pageUrl };
  return { ...settled, reason: outcome.reason };
}

/** Marks all pending addresses as failed; resolves to their number. */
export async function failPending(
  tx: JobQueries,
  { jobId, reason, now }: { jobId: string; reason: string; now: number },
): Promise<number> {
  const given = await tx
    .updateTable('job_url')
    .set({ state: 'failed', reason, settled_at: now })
    .where('job_id', '=', jobId)
    .where('state', '=', 'pending')
    .returning('number')
    .execute();
  return given.length;
}

/** An address that could not be read, with the reason. */
export type UnreadUrl = { number: number; url: string; reason: string; at: number };

/** Lists the addresses that failed, or those that robots.txt forbids, in order. */
export async function listUnreadUrls(
  db: JobQueries,
  jobId: string,
  { state, limit }: { state: 'failed' | 'skipped'; limit: number },
): Promise<UnreadUrl[]> {
  const rows = await db
    .selectFrom('job_url')
    .select(['number', 'url', 'reason', 'settled_at'])
    .where('job_id', '=', jobId)
    .where('state', '=', state)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(({ number, url, reason, settled_at }) => ({
    number,
    url,
    reason: reason ?? '',
    at: settled_at ?? 0,
  }));
}

/** Finds the reason why one address could not be read; null if it was read. */
export async function findUnreadUrl(
  db: JobQueries,
  { jobId, number }: { jobId: string; number: number },
): Promise<{ url: string; reason: string } | null> {
  const row = await db
    .selectFrom('job_url')
    .select(['url', 'state', 'reason'])
    .where('job_id', '=', jobId)
    .where('number', '=', number)
    .executeTakeFirst();
  if (row?.state !== 'failed' && row?.state !== 'skipped') return null;
  return { url: row.url, reason: row.reason ?? row.state };
}

/** Finds the reason why the first address was not read; null if it was read. */
export async function findStartProblem(db: JobQueries, jobId: string): Promise<string | null> {
  return (await findUnreadUrl(db, { jobId, number: 1 }))?.reason ?? null;
}
