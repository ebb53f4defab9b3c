import { Failure } from '../../../contract/errors.ts';
import type { JobOrder, WebhookOrder } from '../../../jobs/job-types.ts';
import type { Jobs } from '../../../jobs/jobs.ts';
import type { CheckUrl } from '../../../platform/net/fetch-types.ts';
import type { Call, JsonObject, Task } from '../../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../../calls/wire.ts';
import type { Rendering } from '../scrape-fields.ts';
import { assertWebhook, chooseBounds, readRequestKey, resolveOwner } from './job-fields.ts';

export type StartJobDeps = Rendering & {
  jobs: Jobs;
  checkUrl: CheckUrl;
  /** Throws `Failure('url_not_allowed')` for a URL that no webhook may be sent to. */
  checkWebhookUrl: CheckUrl;
  /** Returns the secret that signs an owner's webhooks. */
  webhookSecretOf(owner: string): string;
  /** Returns the address of the service as the caller knows it. */
  addressFor(call: Pick<Call, 'headers'>): string;
};

type PreparedCall = Omit<Call, 'signal'>;

/** A job as requested by its caller. */
type JobRequest = {
  order: Omit<JobOrder, 'pagesMax' | 'webhook'>;
  webhook: WebhookOrder | null;
  urls: string[];
  /** Maximum pages; null: as many as the caller may have. */
  pages: number | null;
  /** Minimum credits to start the job. */
  creditsNeeded: number;
  ignored: string[];
  /** Further fields of the answer. */
  extra?: JsonObject;
};

/**
 * Creates the task that starts a job; starting is free, its pages are charged. Throws `Failure('validation_error' | 'url_not_allowed')`.
 */
export function createStartTask(deps: StartJobDeps, call: PreparedCall, ordered: JobRequest): Task {
  const { webhook, urls, pages, creditsNeeded, ignored, extra } = ordered;
  const { pagesMax, runningMax } = chooseBounds(call.caller);
  assertWebhook(webhook, { caller: call.caller, checkUrl: deps.checkWebhookUrl });
  const { owner, keyId } = resolveOwner(call);
  const requestKey = readRequestKey(call);
  const order: JobOrder = {
    ...ordered.order,
    webhook,
    keep: call.keep && ordered.order.keep,
    pagesMax: Math.min(Math.floor(pages ?? pagesMax), pagesMax),
  };
  return {
    most: 0,
    async work(_signal, credits) {
      if (keyId !== null && credits < creditsNeeded)
        throw new Failure('insufficient_credits', 'The key does not have enough credits for this job.', {
          keyId,
        });
      const id = await deps.jobs.start({ owner, keyId, requestKey, order, urls, runningMax });
      const secret = webhook === null ? {} : { webhookSecret: deps.webhookSecretOf(owner) };
      const url = `${deps.addressFor(call) + readPath(call)}/${id}`;
      return {
        used: 0,
        headers: buildIgnoredHeader(ignored),
        body: { success: true, id, url, ...secret, ...extra },
      };
    },
  };
}

/** Returns the path of a call without its query. */
export const readPath = ({ target }: Pick<Call, 'target'>): string => target.split('?')[0] ?? target;

/** Finds the fields of a body that have no effect, except those in which clients identify themselves. */
export function findIgnoredJobFields(body: JsonObject, names: readonly string[]): string[] {
  return findIgnoredFields(body, buildKnownFields([...names, 'origin', 'integration']));
}
