import assert from 'node:assert/strict';
import type { Answered, Served } from '../../harness.ts';

/** The token of the operator in tests. */
export const TOKEN = 'the-token-of-an-administrator';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A browser without scripts that has signed in. */
export type ConsoleClient = {
  cookie: string;
  get(path: string): Promise<Answered>;
  /** Sends a form of a page with what the page gave it; follows the redirect. */
  act(path: string, fields: Record<string, string>): Promise<Answered>;
  /** The same, without following. */
  send(path: string, fields: Record<string, string>): Promise<Answered>;
};

/** Signs in with the token. */
export async function signIn(served: Served, token = TOKEN): Promise<ConsoleClient> {
  const entered = await served.post(
    '/admin/sign-in',
    String(new URLSearchParams({ token, next: '/admin' })),
    FORM,
  );
  assert.equal(entered.status, 303, entered.text);
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const get = (path: string): Promise<Answered> => served.get(path, { cookie });
  const send: ConsoleClient['send'] = async (path, fields) => {
    const page = await get(path);
    const csrf = csrfIn(page.text);
    return served.post(path.split('?')[0] ?? path, String(new URLSearchParams({ csrf, ...fields })), {
      ...FORM,
      cookie,
    });
  };
  return {
    cookie,
    get,
    send,
    async act(path, fields) {
      const answer = await send(path, fields);
      if (answer.status !== 303) return answer;
      return get(answer.headers.get('location') ?? '');
    },
  };
}

/** The token of the forms in a page. */
export function csrfIn(page: string): string {
  return /name="csrf" value="([\w-]+)"/.exec(page)?.[1] ?? '';
}
