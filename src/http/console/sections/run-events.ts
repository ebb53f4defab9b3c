import { Readable } from 'node:stream';
import { setTimeout as timeout } from 'node:timers/promises';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call } from '../../calls/call.ts';
import type { ConsoleDeps } from '../console-types.ts';
import type { SignIn } from '../sign-in.ts';

/** Maximum browsers that may watch at once. */
const WATCHERS_MAX = 10;
/** Interval at which progress is read, and number of reads without progress after which a comment keeps the connection open. */
const LOOK_MS = 1_000;
const QUIET_LOOKS_MAX = 10;
/** Number of reads after which a stream ends. The browser then reconnects, with the session it has at that time. */
const LOOKS_MAX = 300;
/** Maximum runs that are reported; the newest ones are. */
const REPORTED_MAX = 30;

/** GET /admin/crawls/events: the progress of crawls and imports as server-sent events. */
export function createRunEventsHandler(
  deps: ConsoleDeps,
  signIn: Pick<SignIn, 'visitOf'>,
): (call: Call) => Promise<Answer> {
  let watchers = 0;
  return async (call) => {
    if (signIn.visitOf(call) === null) throw new Failure('forbidden', 'Sign in first.');
    if (watchers >= WATCHERS_MAX) throw new Failure('overloaded', 'Too many browsers watch already.');
    watchers += 1;
    const events = Readable.from(streamProgress(deps));
    events.once('close', () => {
      watchers -= 1;
    });
    return {
      body: events,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        // Otherwise proxies would buffer events.
        'X-Accel-Buffering': 'no',
      },
    };
  };
}

/** Yields the progress of runs. The stream ends when the server drains, or when the browser closes it. */
async function* streamProgress({ runs, isDraining }: ConsoleDeps): AsyncGenerator<string> {
  let before = '';
  let quiet = 0;
  for (let look = 0; look < LOOKS_MAX && !isDraining(); look++) {
    const found = (await runs.list()).slice(0, REPORTED_MAX);
    const now = JSON.stringify(found.map(({ id, state, counts }) => ({ id, state, counts })));
    quiet = now === before ? quiet + 1 : 0;
    if (now !== before) yield `event: runs\ndata: ${now}\n\n`;
    else if (quiet % QUIET_LOOKS_MAX === 0) yield ': nothing new\n\n';
    before = now;
    await timeout(LOOK_MS);
  }
}
