import { Readable } from 'node:stream';
import { setTimeout as timeout } from 'node:timers/promises';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call } from '../../calls/call.ts';
import type { ConsoleDeps } from '../console-types.ts';
import type { SignIn } from '../sign-in.ts';

/** Browsers that may watch at once. */
const WATCHERS_MAX = 10;
/** How often progress is read, and after how long without any a comment keeps the connection open. */
const LOOK_MS = 1_000;
const QUIET_LOOKS_MAX = 10;
/** A stream ends after this many looks; the browser then asks again, by its session of that time. */
const LOOKS_MAX = 300;
/** Runs that are reported: the newest. */
const REPORTED_MAX = 30;

/** GET /admin/crawls/events: how far crawls and imports are, as server-sent events. */
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
        // Proxies would hold events back.
        'X-Accel-Buffering': 'no',
      },
    };
  };
}

/** Ends when the server drains; the browser closes the stream otherwise. */
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
