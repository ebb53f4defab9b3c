import { after, before } from 'node:test';
import { type AccountVisit, visitAccount } from '../../fixtures/account-visit.ts';
import { openSiteFixture, type SiteFixture } from '../../fixtures/site-fixture.ts';
import { keptLog, searchAnswer } from '../../harness.ts';

export const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
const kept = keptLog();
/** The lines of the log. */
export const { lines } = kept;

/** The site of the file's tests. */
export let fixture: SiteFixture;

/** Starts it before the tests of a file, and ends it after. */
export function serveAccounts(): void {
  before(async () => {
    fixture = await openSiteFixture({ search: async () => searchAnswer() }, kept.log);
  });
  after(() => fixture.close());
}

/** Signs in with a key. */
export const visit = (apiKey: string): Promise<AccountVisit> => visitAccount(fixture.served, apiKey);

/** A key that was bought with a card, which was saved. */
export async function keyWithCard(): Promise<string> {
  const opened = await fixture.served.get('/buy/instant?auto_reload=1&threshold=200&monthly_max_usd=60');
  const page = opened.headers.get('location') ?? '';
  const paid = await fixture.served.post(new URL(page).pathname, 'action=pay', FORM);
  const { pathname, search } = new URL(paid.headers.get('location') ?? '');
  const { text } = await fixture.served.get(pathname + search, FORM);
  return /id="key"[^>]*>(sdl_[\w-]+)</.exec(text)?.[1] ?? '';
}
