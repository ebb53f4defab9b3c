import { Failure, STATUS_OF } from '../../../contract/errors.ts';
import type { Answer, PricedRoute, RunNestedRoute } from '../../calls/call.ts';
import { REMAINING_HEADER } from '../../calls/charged-call.ts';
import type { Play, PlayCall } from './plays.ts';

/** The routes behind the kinds of calls. Each call counts and costs the same as for a program. */
export type PlayRoutes = Record<Play, PricedRoute>;

/** The result of a call. `remaining` is the number of free requests left; null where nothing is counted. */
export type PlayResult =
  | ({ ok: true } & Awaited<ReturnType<RunNestedRoute>>)
  | { ok: false; failure: Failure };

/** Runs a call for the visitor of a page. Failures are returned, except internal ones, which are thrown. */
export async function runPlay(
  { target, body }: PlayCall,
  { route, runAlso }: { route: PricedRoute; runAlso: RunNestedRoute },
): Promise<PlayResult> {
  try {
    // The reader answers in Markdown unless it is asked for its fields.
    const headers = { accept: 'application/json' };
    return { ok: true, ...(await runAlso(route, { target, body: body ?? {}, headers })) };
  } catch (failure) {
    if (failure instanceof Failure && failure.code !== 'internal') return { ok: false, failure };
    throw failure;
  }
}

/** Builds the status and the headers of the page about a call. */
export function buildOutcome(ran: PlayResult): Pick<Answer, 'status'> & { headers: Record<string, string> } {
  if (ran.ok) return { status: 200, headers: {} };
  const { code, retryAfterSeconds } = ran.failure;
  return {
    status: STATUS_OF[code],
    headers: {
      ...(code === 'keyless_limit' ? { [REMAINING_HEADER]: '0' } : {}),
      ...(retryAfterSeconds === null ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  };
}
