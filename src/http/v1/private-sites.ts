import { Failure } from '../../contract/errors.ts';
import type { CheckUrl } from '../../platform/net/fetch-types.ts';
import type { PageCollection, SignInProfile } from '../../sites/private-site-types.ts';
import type { PrivateSites } from '../../sites/private-sites.ts';
import type { Call, FreeRoute, JsonObject } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { parseBody } from '../calls/json-body.ts';
import { CollectionBody, readSiteOrder, SiteBody } from './private-site-fields.ts';

export type PrivateSiteDeps = {
  /** Null: the operator has not switched them on. */
  privateSites: PrivateSites | null;
  checkUrl: CheckUrl;
};

type Handle = FreeRoute['handle'];

const { headers: _headers, form: _form, ...PLAIN_FIELDS } = SiteBody.shape;
const SITE_FIELDS = {
  ...buildKnownFields(Object.keys(PLAIN_FIELDS)),
  headers: true as const,
  form: true as const,
};
const COLLECTION_FIELDS = buildKnownFields(Object.keys(CollectionBody.shape));

/** POST /v1/sites. Errors: 400 url_not_allowed, 401 without a key, 404 where there are none, 422 validation_error, 429 rate_limited. */
export function createPutSiteHandler(deps: PrivateSiteDeps): Handle {
  return async (call) => {
    const { sites, owner } = resolveOwn(deps, call);
    const profile = await sites.put({ owner, ...readSiteOrder(call.body, deps.checkUrl) });
    return {
      body: { requestId: call.requestId, site: toPublicSite(profile) },
      headers: buildIgnoredHeader(findIgnoredFields(call.body, SITE_FIELDS)),
    };
  };
}

/** GET /v1/sites: the caller's profiles by name, without their credentials. */
export function createSitesHandler(deps: PrivateSiteDeps): Handle {
  return async (call) => {
    const { sites, owner } = resolveOwn(deps, call);
    const profiles = await sites.list(owner);
    return { body: { requestId: call.requestId, sites: profiles.map(toPublicSite) } };
  };
}

/** GET /v1/sites/{name}. Errors: 404. */
export function createSiteHandler(deps: PrivateSiteDeps): Handle {
  return async (call) => {
    const { sites, owner } = resolveOwn(deps, call);
    const profile = await sites.find(owner, call.params.name ?? '');
    if (profile === null) throw createNotFound('sign-in profile');
    return { body: { requestId: call.requestId, site: toPublicSite(profile) } };
  };
}

/** DELETE /v1/sites/{name}: deletes the credentials. Errors: 404. */
export function createDeleteSiteHandler(deps: PrivateSiteDeps): Handle {
  return async (call) => {
    const { sites, owner } = resolveOwn(deps, call);
    const { name = '' } = call.params;
    if (!(await sites.remove(owner, name))) throw createNotFound('sign-in profile');
    return { body: { requestId: call.requestId, name, deleted: true } };
  };
}

/** GET /v1/collections: the caller's own, by name. */
export function createCollectionsHandler(deps: PrivateSiteDeps): Handle {
  return async (call) => {
    const { sites, owner } = resolveOwn(deps, call);
    const collections = await sites.collections.list(owner);
    return { body: { requestId: call.requestId, collections: collections.map(toPublicCollection) } };
  };
}

/** POST /v1/collections/{name}: sets who may search it. Errors: 404, 422. */
export function createShareCollectionHandler(deps: PrivateSiteDeps): Handle {
  return async (call) => {
    const { sites, owner } = resolveOwn(deps, call);
    const { readers } = parseBody(CollectionBody, call.body);
    const changed = await sites.collections.setReaders(owner, call.params.name ?? '', readers);
    if (changed === null) throw createNotFound('collection');
    return {
      body: { requestId: call.requestId, collection: toPublicCollection(changed) },
      headers: buildIgnoredHeader(findIgnoredFields(call.body, COLLECTION_FIELDS)),
    };
  };
}

/** DELETE /v1/collections/{name}: deletes its pages everywhere. Errors: 404. */
export function createDeleteCollectionHandler(deps: PrivateSiteDeps): Handle {
  return async (call) => {
    const { sites, owner } = resolveOwn(deps, call);
    const { name = '' } = call.params;
    if (!(await sites.collections.remove(owner, name))) throw createNotFound('collection');
    return { body: { requestId: call.requestId, name, deleted: true } };
  };
}

function resolveOwn(
  { privateSites: sites }: PrivateSiteDeps,
  { caller, tenant }: Call,
): { sites: PrivateSites; owner: string } {
  if (sites === null) throw new Failure('not_found', 'This server has no sign-in profiles (PRIVATE_SITES).');
  if (caller.kind === 'keyless')
    throw new Failure('invalid_api_key', 'Sign-in profiles need an API key.', { keyMissing: true });
  const owner = sites.findOwner(tenant);
  if (owner === null)
    throw new Failure('not_found', 'Only the operator of this server has sign-in profiles.');
  return { sites, owner };
}

const createNotFound = (what: string): Failure =>
  new Failure('not_found', `You have no such ${what}: it is unknown, was deleted, or is another caller's.`);

function toPublicSite({ name, origins, method, collection, createdAt }: SignInProfile): JsonObject {
  return { name, origins, method, collection, createdAt: new Date(createdAt).toISOString() };
}

function toPublicCollection({ name, readers, pages, bytes, createdAt }: PageCollection): JsonObject {
  return { name, pages, bytes, readers, createdAt: new Date(createdAt).toISOString() };
}
