import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../platform/clock.ts';
import {
  createSessionId,
  deriveCsrf,
  formatSessionCookie,
  hashSessionId,
  readSessionIds,
  type SessionCookie,
} from './session-cookie.ts';

/** Somebody who signed in. */
export type Session<Data> = { data: Data; csrf: string };

/** Sessions of this process: the browser holds a random id in a cookie, the process holds the rest under the hash of that id. */
type Sessions<Data> = {
  /** Begins a session; `cookie` is the line of `Set-Cookie`. */
  begin(data: Data, headers: IncomingHttpHeaders): { session: Session<Data>; cookie: string };
  /** The session of a request; null without one, and once it has ended. */
  find(headers: IncomingHttpHeaders): Session<Data> | null;
  /** Ends the session of a request; returns the line of `Set-Cookie` that removes its cookie. */
  end(headers: IncomingHttpHeaders): string;
};

type SessionOptions = SessionCookie & {
  /** How long a session lasts without a request, and in any case. */
  idleMs: number;
  lastsMs: number;
  /** Beyond this many, the one that was used least lately ends. */
  sessionsMax: number;
  clock: Clock;
};

type StoredSession<Data> = { session: Session<Data>; idleAt: number; endsAt: number };

export function createSessions<Data>(options: SessionOptions): Sessions<Data> {
  const { name, clock, idleMs, lastsMs, sessionsMax } = options;
  const kept = new Map<string, StoredSession<Data>>();
  const readSessionKeys = (headers: IncomingHttpHeaders): string[] =>
    readSessionIds(headers, name).map(hashSessionId);
  return {
    begin(data, headers) {
      const id = createSessionId();
      const now = clock.now();
      const session = { data, csrf: deriveCsrf(id) };
      kept.set(hashSessionId(id), { session, idleAt: now + idleMs, endsAt: now + lastsMs });
      for (const oldest of kept.keys()) {
        if (kept.size <= sessionsMax) break;
        kept.delete(oldest);
      }
      return { session, cookie: formatSessionCookie(options, { headers, id, ms: lastsMs }) };
    },
    find(headers) {
      for (const key of readSessionKeys(headers)) {
        const found = kept.get(key);
        if (found === undefined) continue;
        kept.delete(key);
        const now = clock.now();
        if (now >= Math.min(found.idleAt, found.endsAt)) continue;
        // Moved to the end: the first one in the map was used least lately.
        kept.set(key, { ...found, idleAt: now + idleMs });
        return found.session;
      }
      return null;
    },
    end(headers) {
      for (const key of readSessionKeys(headers)) kept.delete(key);
      return formatSessionCookie(options, { headers, id: '', ms: 0 });
    },
  };
}
