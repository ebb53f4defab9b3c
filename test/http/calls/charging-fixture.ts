import { after, before, beforeEach } from 'node:test';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { type Answered, contentsAnswer, readAnswer, searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from './charged-service.ts';

/** What the operation behind the routes does. */
let operation: (signal: AbortSignal) => Promise<unknown>;
/** The service of the suite that is running. */
export let fixture: ChargedFixture;

/** Sets what the operation behind the routes does in the present test. */
export function operate(work: typeof operation): void {
  operation = work;
}

export type Headers = Record<string, string>;
export type Send = (headers: Headers) => Promise<Answered>;

/** Posts a body to a path. */
export const posted =
  (path: string, body: unknown): Send =>
  (headers) =>
    fixture.served.post(path, body, headers);

/** The last of several pages does not load. */
export const PAGES = ['https://example.org/a', 'https://example.org/b', 'https://example.org/c'];

/** Describes charging on each ledger store, over a service of its own. */
export async function describeCharging(suite: () => void): Promise<void> {
  await describeOnStores('charging', (databaseUrl) => {
    before(async () => {
      fixture = await openChargedFixture(databaseUrl, {
        trustProxy: 1,
        search: async ({ signal }) => {
          await operation(signal);
          return searchAnswer();
        },
        similar: async ({ signal }) => {
          await operation(signal);
          return searchAnswer();
        },
        contents: async ({ signal, urls }) => {
          await operation(signal);
          const lost = urls.length > 1 ? urls.length - 1 : -1;
          const statuses = urls.map((id, place) =>
            place === lost
              ? ({ ok: false, id, reason: 'http_status', httpStatus: 404, message: 'not found' } as const)
              : ({ ok: true, id, cache: 'miss' } as const),
          );
          return contentsAnswer({ statuses });
        },
        read: async ({ signal }) => {
          await operation(signal);
          return readAnswer();
        },
      });
    });
    after(() => fixture.close());
    beforeEach(() => {
      operation = async () => null;
    });
    suite();
  });
}

/** A new key with credits. */
export async function newKey(credits: number): Promise<{ keyId: string; headers: Headers }> {
  const { keyId, apiKey } = await fixture.billing.keys.create({ credits, label: null });
  return { keyId, headers: { authorization: `Bearer ${apiKey}` } };
}

let addresses = 0;
/** Headers of a caller without a key whose address nobody has had before. */
export function freshAddress(): Headers & { 'x-forwarded-for': string } {
  addresses += 1;
  return { 'x-forwarded-for': `198.18.${addresses >> 8}.${addresses & 255}` };
}

/** The header of what is left, after a call. */
export async function remainingAfter(send: Send, headers: Headers): Promise<string | null> {
  return (await send(headers)).headers.get('x-credits-remaining');
}

/** The account of a key. */
export async function accountOf(keyId: string): Promise<{ available: number; held: number } | undefined> {
  const { db } = fixture.billing.ledgerStore;
  const row = await db
    .selectFrom('account')
    .select(['available', 'held'])
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  return row && { ...row };
}

/** How many entries a key has. */
export async function entriesOf(keyId: string): Promise<number> {
  return (
    await fixture.billing.ledgerStore.db
      .selectFrom('entry')
      .where('key_id', '=', keyId)
      .select('version')
      .execute()
  ).length;
}

/** How many free requests an address has used. */
export async function usedBy(address: { 'x-forwarded-for': string }): Promise<number> {
  return (
    25 - (await fixture.billing.meter.remaining({ kind: 'keyless', address: address['x-forwarded-for'] }))
  );
}
