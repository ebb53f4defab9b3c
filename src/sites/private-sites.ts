/**
 * Pages behind a login, for their owner only: sign-in profiles, whose credentials are sealed and go only to the origins that a profile
 * names, and collections, in which what was read with them is filed. Nobody else sees a profile, and only the owner and the keys on its
 * list search a collection. It neither decides who a caller is nor searches.
 */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createFetchFailure, Failure } from '../contract/errors.ts';
import { PRIVATE_SITES } from '../contract/limits.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { GuardedFetch } from '../platform/net/fetch-types.ts';
import type { Sealing } from '../platform/sealing.ts';
import type {
  PrivateSiteStore,
  SignInTable,
} from '../platform/store/private-sites/open-private-site-store.ts';
import type { Collections } from './collections.ts';
import type { Credentials, SignInProfile } from './private-site-types.ts';
import { createSiteSession, type SiteSession } from './site-session.ts';

type NewProfile = {
  owner: string;
  name: string;
  origins: readonly string[];
  credentials: Credentials;
  /** The name of the collection that its pages are filed in. */
  collection: string;
};

export type PrivateSites = {
  /** Adds a profile, or replaces the owner's profile of this name. Throws `Failure('rate_limited')` if the owner has too many. */
  put(profile: NewProfile): Promise<SignInProfile>;
  list(owner: string): Promise<SignInProfile[]>;
  find(owner: string, name: string): Promise<SignInProfile | null>;
  /** Deletes a profile with its credentials; its collection stays. */
  remove(owner: string, name: string): Promise<boolean>;
  /** Counts the profiles of all owners, and those that were sealed with another secret. */
  count(): Promise<{ profiles: number; unreadable: number }>;
  /**
   * Wraps the opening of pages: a page that a profile of the tenant covers is read with it and filed. Other pages are opened by
   * `openPage`, as if there were no profiles.
   */
  addSignIns(openPage: OpenPage, openPrivate: OpenPage): OpenPage;
  /** Returns the owner whose profiles and collections a tenant uses; null: none. */
  findOwner(tenant: Tenant): string | null;
  collections: Collections;
};

type PrivateSiteDeps = {
  store: PrivateSiteStore;
  sealing: Pick<Sealing, 'seal' | 'unseal'>;
  collections: Collections;
  fetch: GuardedFetch;
  clock: Clock;
  background: Pick<Background, 'run'>;
  findOwner: PrivateSites['findOwner'];
};

/** Profiles whose session is kept in memory. */
const SESSIONS_MAX = 1_000;

export function createPrivateSites(deps: PrivateSiteDeps): PrivateSites {
  const { store, sealing, collections, background, findOwner } = deps;
  const { db } = store;
  /** By the sealed credentials, so that a replaced profile never goes on with the session of the former. */
  const sessions = new LRUCache<string, SiteSession>({ max: SESSIONS_MAX });
  const openSession = ({ sealed, origins }: SignInTable): SiteSession | null => {
    const known = sessions.get(sealed);
    if (known !== undefined) return known;
    const text = sealing.unseal(sealed);
    // Sealed with another APP_SECRET.
    if (text === null) return null;
    const credentials = JSON.parse(text) as Credentials;
    const made = createSiteSession({ credentials, origins: parseOrigins(origins) }, deps);
    sessions.set(sealed, made);
    return made;
  };
  const listRows = (owner: string) =>
    db
      .selectFrom('sign_in')
      .innerJoin('collection', 'collection.id', 'sign_in.collection_id')
      .selectAll('sign_in')
      .select('collection.name as collection')
      .where('sign_in.owner', '=', owner)
      .orderBy('sign_in.name')
      .execute();
  const list = async (owner: string): Promise<SignInProfile[]> => (await listRows(owner)).map(toProfile);
  const find = async (owner: string, name: string): Promise<SignInProfile | null> =>
    (await list(owner)).find((profile) => profile.name === name) ?? null;
  return {
    collections,
    findOwner,
    list,
    find,
    async put({ owner, name, origins, credentials, collection }) {
      const held = await list(owner);
      if (held.length >= PRIVATE_SITES.ownerMax && !held.some((one) => one.name === name))
        throw new Failure(
          'rate_limited',
          `You have ${held.length} sign-in profiles; delete one before you add another.`,
        );
      const { id: collectionId } = await collections.open(owner, collection);
      const values = {
        origins: JSON.stringify(origins),
        method: credentials.method,
        sealed: sealing.seal(JSON.stringify(credentials)),
        collection_id: collectionId,
      };
      const id = `sit_${randomBytes(10).toString('hex')}`;
      await db
        .insertInto('sign_in')
        .values({ id, owner, name, created_at: deps.clock.now(), ...values })
        .onConflict((conflict) => conflict.columns(['owner', 'name']).doUpdateSet(values))
        .execute();
      const written = await find(owner, name);
      if (written === null) throw new Failure('overloaded', 'The profile was deleted while it was added.');
      return written;
    },
    async remove(owner, name) {
      const { numDeletedRows } = await db
        .deleteFrom('sign_in')
        .where('owner', '=', owner)
        .where('name', '=', name)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async count() {
      const rows = await db.selectFrom('sign_in').select('sealed').execute();
      const unreadable = rows.filter(({ sealed }) => sealing.unseal(sealed) === null);
      return { profiles: rows.length, unreadable: unreadable.length };
    },
    addSignIns: (openPage, openPrivate) => async (url, options) => {
      const { tenant, headers, copies, keep } = options;
      const owner = headers !== undefined || copies === 'only' ? null : findOwner(tenant);
      const address = owner === null ? null : URL.parse(url);
      if (owner === null || address === null) return openPage(url, options);
      for (const row of await listRows(owner)) {
        if (!parseOrigins(row.origins).includes(address.origin)) continue;
        const session = openSession(row);
        if (session === null)
          throw createFetchFailure(
            'wall',
            'its sign-in profile can no longer be read and must be added again',
          );
        if (!session.covers(address)) continue;
        const page = await openPrivate(url, { ...options, fetchSignedIn: session.fetch });
        if (keep !== false)
          background.run('file a page of a collection', () => collections.file(row.collection_id, page));
        return page;
      }
      return openPage(url, options);
    },
  };
}

/** Written by `put`. */
const parseOrigins = (text: string): string[] => JSON.parse(text) as string[];

function toProfile(row: SignInTable & { collection: string }): SignInProfile {
  const { id, owner, name, origins, method, collection, created_at } = row;
  return {
    id,
    owner,
    name,
    origins: parseOrigins(origins),
    // Written by `put`.
    method: method as Credentials['method'],
    collection,
    createdAt: Number(created_at),
  };
}
