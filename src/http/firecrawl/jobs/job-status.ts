import { Failure } from '../../../contract/errors.ts';
import { JOBS } from '../../../contract/limits.ts';
import type { Job } from '../../../jobs/job-types.ts';
import type { Jobs } from '../../../jobs/jobs.ts';
import type { Answer, Call, FreeRoute, JsonObject } from '../../calls/call.ts';
import { describeReason } from './job-words.ts';
import { readPath } from './start-job.ts';

type StatusDeps = { jobs: Jobs; addressFor(call: Pick<Call, 'headers'>): string };
type Kind = Job['kind'];

const STATUS: Record<Job['state'], string> = {
  running: 'scraping',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/**
 * GET /v2/crawl/{id} and /v2/batch/scrape/{id}: the status of a job and a slice of its results. Old clients request their batches as
 * crawls. Errors: 404.
 */
export function createJobStatusHandler({ jobs, addressFor }: StatusDeps, kinds: Kind[]): FreeRoute['handle'] {
  return async (call) => {
    const job = await findJob(jobs, call, kinds);
    const skip = parseWholeNumber(call.query.get('skip'), { max: JOBS.keyed.pagesMax, absent: 0 });
    const limit = parseWholeNumber(call.query.get('limit'), {
      max: JOBS.documentsMax,
      absent: JOBS.documentsMax,
    });
    const slice = await jobs.documents(job.id, { place: skip, limit: Math.max(1, limit) });
    const next = `${addressFor(call) + readPath(call)}?skip=${slice.last}`;
    const isMetered = call.caller.kind !== 'unmetered';
    const fields = { ...buildStatus(job, isMetered), ...(slice.last < job.pages ? { next } : {}) };
    return appendDocuments(fields, slice.documents);
  };
}

function buildStatus(job: Job, isMetered: boolean): JsonObject {
  const { state, pages, failed, pending, credits, reason, order } = job;
  const total = Math.min(order.pagesMax, pages + pending) + failed;
  return {
    success: true,
    status: STATUS[state],
    completed: pages,
    total,
    ...(isMetered ? { creditsUsed: credits } : {}),
    expiresAt: new Date(job.expires_at).toISOString(),
    ...(state === 'completed' && reason !== null ? { warning: describeReason(reason) } : {}),
    ...(state === 'failed' ? { error: describeReason(reason ?? '') } : {}),
  };
}

/** Appends the documents as text: they are JSON already and may be large. */
function appendDocuments(fields: JsonObject, documents: string[]): Answer {
  const head = JSON.stringify(fields).slice(0, -1);
  return {
    body: `${head},"data":[${documents.join(',')}]}`,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  };
}

/** DELETE: ends a running job. Errors: 404, 409 job_ended. */
export function createCancelHandler({ jobs }: Pick<StatusDeps, 'jobs'>, kind: Kind): FreeRoute['handle'] {
  return async (call) => {
    const { id, state } = await findJob(jobs, call, [kind]);
    const before = state === 'running' ? await jobs.cancel(call.tenant ?? '', id) : null;
    if (before === null && state !== 'cancelled')
      throw new Failure('job_ended', `The job has ended already: it is ${STATUS[state]}.`);
    return { body: { success: true, status: 'cancelled' } };
  };
}

/** GET .../errors: the pages that could not be read. Errors: 404. */
export function createJobErrorsHandler({ jobs }: Pick<StatusDeps, 'jobs'>, kind: Kind): FreeRoute['handle'] {
  return async (call) => {
    const { id } = await findJob(jobs, call, [kind]);
    const { failed, skipped } = await jobs.unread(id);
    return {
      body: {
        errors: failed.map(({ number, url, reason, at }) => ({
          id: `${id}-${number}`,
          timestamp: new Date(at).toISOString(),
          url,
          code: reason,
          error: describeReason(reason),
        })),
        robotsBlocked: skipped.filter(({ reason }) => reason === 'robots_txt').map(({ url }) => url),
      },
    };
  };
}

/** GET /v2/crawl/ongoing and /active: the caller's running crawls. */
export function createRunningCrawlsHandler({ jobs }: Pick<StatusDeps, 'jobs'>): FreeRoute['handle'] {
  return async ({ tenant }) => {
    const running = await jobs.running(tenant ?? '');
    return {
      body: {
        success: true,
        crawls: running.flatMap(({ id, order: { crawl, pagesMax, reading }, owner, created_at }) =>
          crawl === null
            ? []
            : [
                {
                  id,
                  teamId: owner,
                  url: crawl.start,
                  created_at: new Date(created_at).toISOString(),
                  options: { limit: pagesMax, scrapeOptions: reading },
                },
              ],
        ),
      },
    };
  };
}

/** Throws `Failure('not_found')` for another owner's job and for one that does not exist. */
async function findJob(jobs: Jobs, { tenant, params }: Call, kinds: Kind[]): Promise<Job> {
  const job = await jobs.find(tenant ?? '', params.id ?? '');
  if (job !== null && kinds.includes(job.kind)) return job;
  throw new Failure('not_found', "There is no such job: it is unknown, another caller's, or has expired.");
}

/** Parses a whole number from 0 to `max`; anything else counts as absent. */
function parseWholeNumber(text: string | null, { max, absent }: { max: number; absent: number }): number {
  return /^\d{1,9}$/.test(text ?? '') ? Math.min(max, Number(text)) : absent;
}
