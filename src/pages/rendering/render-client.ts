/**
 * The client of the process that runs the browser. It bounds how many pages are rendered at once and maps every failure of that process
 * to a `Failure`. It does not decide which pages are rendered, and it loads no browser itself.
 */
import type { z } from 'zod';
import { createFetchFailure, Failure, type FetchReason } from '../../contract/errors.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import { createFairQueue } from '../../platform/fairness/fair-queue.ts';
import type { FetchedResponse, GuardedFetch } from '../../platform/net/fetch-types.ts';
import { createNamedFetch } from '../../platform/net/upstream-fetch.ts';
import {
  RENDER_HEALTH_PATH,
  RENDER_LIMITS,
  RENDER_PATH,
  RenderedPage,
  RenderHealth,
  type RenderOrder,
  RenderProblem,
} from './render-wire.ts';

/** The client of the process with the browser. */
export type RenderClient = {
  /** Renders a page. Throws `Failure` for what is wrong with the page, or `overloaded` where no browser is available. */
  render(order: RenderOrder, options: { signal: AbortSignal; tenant?: Tenant }): Promise<RenderedPage>;
  /** Returns the state of the process; throws `Failure('overloaded')` where it does not answer. */
  health(): Promise<z.output<typeof RenderHealth>>;
  close(): Promise<void>;
};

/** Maximum number of pages rendered at once; a single caller may have half of them. */
const AT_ONCE_MAX = 8;
const WAITING_MAX = 200;
/** Maximum bytes of an answer: the page as JSON, in which a character may take six bytes, and a picture. */
const ANSWER_BYTES_MAX = 41_943_040;
/** Extra time for the round trip. */
const SLACK_MS = 1_000;
const LONGEST_MS = RENDER_LIMITS.timeoutMs.max + SLACK_MS;
const HEALTH_MS = 5_000;
const HEALTH_BYTES_MAX = 65_536;

const DOWN = 'The browser of this service does not answer; try again in a moment.';

type ClientDeps = { url: string; token: string; dnsServers: readonly string[]; fetch?: GuardedFetch };

/** Creates a client of the process at the address that the operator named, which may be private. */
export function createRenderClient({ url, token, dnsServers, ...fake }: ClientDeps): RenderClient {
  const named = createNamedFetch({
    dnsServers,
    // A part of this server, like its stores.
    egress: null,
    limits: { timeoutMs: LONGEST_MS, headersMs: LONGEST_MS, idleMs: LONGEST_MS, perHostMax: AT_ONCE_MAX + 1 },
  });
  const ask = fake.fetch ?? named.fetch;
  const turns = createFairQueue({
    slots: AT_ONCE_MAX,
    waitingMax: WAITING_MAX,
    overloaded: () => new Failure('overloaded', 'Too many pages wait for a browser; try again in a moment.'),
  });
  const authorization = `Bearer ${token}`;
  return {
    render: (order, { signal, tenant }) =>
      turns.run({ tenant, signal }, async () => {
        const { timeoutMs } = order;
        const asked = { url: `${url}${RENDER_PATH}`, authorization, body: JSON.stringify(order) };
        const headers = { 'content-type': 'application/json' };
        const bounds = { signal, bytesMax: ANSWER_BYTES_MAX, timeoutMs: timeoutMs + SLACK_MS };
        const response = await ask({ ...asked, headers, ...bounds }).catch((error: unknown) =>
          rethrow(error, signal),
        );
        if (response.status !== 200) throw parseProblem(response);
        return parseAnswer(RenderedPage, response);
      }),
    async health() {
      const bounds = { timeoutMs: HEALTH_MS, bytesMax: HEALTH_BYTES_MAX };
      const response = await ask({ url: `${url}${RENDER_HEALTH_PATH}`, authorization, ...bounds }).catch(
        (error: unknown) => rethrow(error),
      );
      if (response.status !== 200) throw parseProblem(response);
      return parseAnswer(RenderHealth, response);
    },
    close: () => named.close(),
  };
}

/** A failure to reach the browser is no fault of the page. */
function rethrow(error: unknown, signal?: AbortSignal): never {
  if (signal?.aborted || !(error instanceof Failure)) throw error;
  throw new Failure('overloaded', DOWN, { cause: error });
}

function parseAnswer<Schema extends z.ZodType>(schema: Schema, response: FetchedResponse): z.output<Schema> {
  const read = schema.safeParse(parseJsonOrNull(response));
  if (read.success) return read.data;
  throw new Failure('overloaded', DOWN, { cause: read.error });
}

function parseProblem(response: FetchedResponse): Failure {
  const read = RenderProblem.safeParse(parseJsonOrNull(response));
  if (!read.success) return new Failure('overloaded', DOWN);
  const { code, reason, message, httpStatus = null } = read.data.error;
  // Our own process sends only known reasons.
  const why = reason as FetchReason | null;
  if (code === 'fetch_failed' && why !== null) return createFetchFailure(why, message, { httpStatus });
  if (code === 'url_not_allowed')
    return new Failure('url_not_allowed', message, { fetch: { reason: 'not_allowed', httpStatus } });
  if (code === 'validation_error')
    return new Failure('validation_error', message, { fields: [{ field: 'selector', message }] });
  return new Failure('overloaded', code === 'overloaded' ? message : DOWN, {
    cause: new Error(`the process with the browser answered ${code}: ${message}`),
  });
}

function parseJsonOrNull({ body }: FetchedResponse): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}
