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

/** The session of somebody who signed in. */
export type Session<Data> = { data: Data; csrf: string };

/** Sessions of this process. The browser holds a random id in a cookie; the process stores the rest under the hash of that id. */
type Sessions<Data> = {
  /** Begins a session; `cookie` is the value of `Set-Cookie`. */
  begin(data: Data, headers: IncomingHttpHeaders): { session: Session<Data>; cookie: string };
  /** Finds the session of a request; null if there is none or it has ended. */
  find(headers: IncomingHttpHeaders): Session<Data> | null;
  /** Ends the session of a request; returns the value of `Set-Cookie` that removes its cookie. */
  end(headers: IncomingHttpHeaders): string;
};

type SessionOptions = SessionCookie & {
  /** Duration of a session without a request, and its maximum duration. */
  idleMs: number;
  lastsMs: number;
  /** Maximum sessions; beyond it, the least recently used one ends. */
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
        // Moved to the end, so that the first one in the map is the least recently used.
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
