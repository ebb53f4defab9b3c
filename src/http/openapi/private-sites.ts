import * as z from 'zod';
import { PRIVATE_SITES } from '../../contract/limits.ts';
import type { Operation, Parameter } from '../calls/operation.ts';
import { CollectionBody, SiteBody } from '../v1/private-site-fields.ts';

const requestId = z.string().meta({ description: 'Identifies this call in the service log.' });
const createdAt = z.string().meta({ description: 'When it was added.' });
const deleted = z.boolean().meta({ description: 'Always true: what is not there is 404.' });

const site = z
  .object({
    name: z.string(),
    origins: z.array(z.string()).meta({ description: 'The origins that get the credentials.' }),
    method: z
      .enum(['headers', 'cookies', 'form', 'confluence', 'github', 'gitlab'])
      .meta({ description: 'How it signs in. The credentials are never shown.' }),
    collection: z.string().meta({ description: 'Where pages that are read with it are filed.' }),
    createdAt,
  })
  .meta({ title: 'SignInProfile', description: 'A sign-in profile, without its credentials.' });

const collection = z
  .object({
    name: z.string(),
    pages: z
      .int()
      .min(0)
      .meta({ description: `At most ${PRIVATE_SITES.pagesMax.toLocaleString('en')}.` }),
    bytes: z.int().min(0).meta({ description: 'Of their text.' }),
    readers: z
      .array(z.string())
      .meta({ description: 'The ids of the keys that may search it besides its owner.' }),
    createdAt,
  })
  .meta({ title: 'Collection', description: 'Pages that only its owner and its readers can search.' });

const Site = z.object({ requestId, site }).meta({ title: 'SignInProfileAnswer' });
const Deleted = z.object({ requestId, name: z.string(), deleted }).meta({ title: 'DeletedByName' });

const nameOf = (what: string): Parameter => ({
  name: 'name',
  in: 'path',
  required: true,
  about: `The name of the ${what}.`,
  schema: z.string(),
});
const tag = 'pages';
const price = 'Free.';

/** The operations on sign-in profiles and collections, keyed like `OPERATIONS`. */
export const PRIVATE_SITE_OPERATIONS: Record<string, Operation> = {
  'POST /v1/sites': {
    id: 'putSite',
    tag,
    summary: 'Add a sign-in profile',
    about:
      'Pages of these hosts are then read with these credentials, for this caller alone, and filed in a collection. A profile of the same name is replaced. Where the operator allows it (`PRIVATE_SITES`); credentials are sealed and never shown.',
    price,
    body: SiteBody,
    answer: Site,
    errors: ['url_not_allowed', 'validation_error', 'rate_limited', 'not_found'],
  },
  'GET /v1/sites': {
    id: 'sites',
    tag,
    summary: 'List sign-in profiles',
    about: "The caller's profiles by name, without their credentials.",
    price,
    answer: z
      .object({ requestId, sites: z.array(site).meta({ description: 'By name.' }) })
      .meta({ title: 'SignInProfiles' }),
    errors: ['not_found'],
  },
  'GET /v1/sites/:name': {
    id: 'site',
    path: '/v1/sites/{name}',
    tag,
    summary: 'Get a sign-in profile',
    about: 'A profile of the caller, without its credentials.',
    price,
    parameters: [nameOf('profile')],
    answer: Site,
    errors: ['not_found'],
  },
  'DELETE /v1/sites/:name': {
    id: 'deleteSite',
    path: '/v1/sites/{name}',
    tag,
    summary: 'Delete a sign-in profile',
    about: 'Deletes its credentials. The collection stays.',
    price,
    parameters: [nameOf('profile')],
    answer: Deleted,
    errors: ['not_found'],
  },
  'GET /v1/collections': {
    id: 'collections',
    tag,
    summary: 'List collections',
    about: "The caller's own collections, by name.",
    price,
    answer: z
      .object({ requestId, collections: z.array(collection).meta({ description: 'By name.' }) })
      .meta({ title: 'Collections' }),
    errors: ['not_found'],
  },
  'POST /v1/collections/:name': {
    id: 'shareCollection',
    path: '/v1/collections/{name}',
    tag,
    summary: 'Set who may search a collection',
    about: 'The keys may search its pages. They get no credentials, and read nothing anew.',
    price,
    parameters: [nameOf('collection')],
    body: CollectionBody,
    answer: z.object({ requestId, collection }).meta({ title: 'CollectionAnswer' }),
    errors: ['not_found', 'validation_error'],
  },
  'DELETE /v1/collections/:name': {
    id: 'deleteCollection',
    path: '/v1/collections/{name}',
    tag,
    summary: 'Delete a collection',
    about: 'Deletes its pages from the index and from every cache.',
    price,
    parameters: [nameOf('collection')],
    answer: Deleted,
    errors: ['not_found'],
  },
};
