import * as z from 'zod';
import { PRIVATE_SITES } from '../../contract/limits.ts';
import { readCallerHeaders } from '../../pages/privacy/caller-headers.ts';
import type { CheckUrl } from '../../platform/net/fetch-types.ts';
import { parseCookiesFile } from '../../sites/cookies.ts';
import { type Credentials, INTERFACE_METHODS } from '../../sites/private-site-types.ts';
import type { JsonObject } from '../calls/call.ts';
import { addScheme, createValidationFailure, parseBody } from '../calls/json-body.ts';
import { address } from './contents.ts';
import { privateName } from './library-fields.ts';

const { originsMax, fieldsMax, valueCharsMax, cookiesCharsMax, readersMax } = PRIVATE_SITES;

const secret = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(valueCharsMax, `must have at most ${valueCharsMax.toLocaleString('en')} characters`);

const SERVICES = ['bearer', ...INTERFACE_METHODS] as const;

/** POST /v1/sites. */
export const SiteBody = z.object({
  name: privateName.meta({ description: 'How you call the profile.', examples: ['intranet'] }),
  origins: z
    .preprocess(
      (given) => (typeof given === 'string' ? [given] : given),
      z
        .array(address, 'must be a host or an array of hosts')
        .min(1, 'must name a host')
        .max(originsMax, `must have at most ${originsMax} entries`),
    )
    .meta({
      also: [{ type: 'string' }],
      description:
        'The hosts that get the credentials, by HTTPS unless `http://` is written: `intranet.example.com`. No other host gets them, also not after a redirect.',
      examples: [['intranet.example.com']],
    }),
  collection: privateName
    .optional()
    .meta({ description: 'Where pages that are read with it are filed; default: `name`.' }),
  headers: z
    .record(z.string(), z.string('must be strings'), 'must be an object of strings')
    .optional()
    .meta({ description: 'Headers that sign in, such as `Authorization`.' }),
  cookies: z
    .string('must be the text of a cookies.txt')
    .max(cookiesCharsMax, `must have at most ${cookiesCharsMax.toLocaleString('en')} characters`)
    .optional()
    .meta({ description: 'The text of a `cookies.txt`, as extensions of browsers and curl write it.' }),
  form: z
    .object({
      url: address.meta({ description: 'The page with the form, on one of the hosts.' }),
      fields: z
        .record(z.string(), secret, 'must be an object of strings')
        .refine(
          (fields) => Object.keys(fields).length > 0 && Object.keys(fields).length <= fieldsMax,
          `must have 1 to ${fieldsMax} fields`,
        )
        .meta({
          description: 'The fields to fill in, by their names. Hidden fields of the form are sent too.',
        }),
    })
    .optional()
    .meta({ description: 'Signs in by one POST of a form, and again when the session ends.' }),
  token: secret.optional().meta({ description: 'A token, sent as `service` wants it.' }),
  service: z
    .enum(SERVICES, `must be one of ${SERVICES.join(', ')}`)
    .default('bearer')
    .meta({
      description:
        'What the token is for: any site that takes bearer tokens, or the public interface of Confluence, GitHub or GitLab.',
    }),
  user: secret
    .regex(/^[^:]*$/, 'must not have a colon')
    .optional()
    .meta({ description: "The user's email beside the token, for Confluence in the cloud." }),
});

/** POST /v1/collections/{name}. */
export const CollectionBody = z.object({
  readers: z
    .array(
      z.string('must be strings').regex(/^[\w-]{1,64}$/, 'must be ids of keys'),
      'must be an array of the ids of keys',
    )
    .max(readersMax, `must have at most ${readersMax} entries`)
    .meta({ description: 'The ids of the keys that may search it besides its owner; an empty list: none.' }),
});

type SiteOrder = { name: string; origins: string[]; collection: string; credentials: Credentials };

/** The values of these are names of the caller's own. */
const VERBATIM: ReadonlySet<string> = new Set(['headers', 'fields']);

/** Reads a profile. Throws `Failure('validation_error' | 'url_not_allowed')`; no message has a credential in it. */
export function readSiteOrder(body: JsonObject, checkUrl: CheckUrl): SiteOrder {
  const fields = parseBody(SiteBody, body, { verbatim: VERBATIM });
  const origins = [...new Set(fields.origins.map((text) => readOrigin(text, checkUrl)))];
  const found = [
    ...(fields.headers === undefined ? [] : [readHeaders(fields.headers)]),
    ...(fields.cookies === undefined ? [] : [readCookies(fields.cookies)]),
    ...(fields.form === undefined ? [] : [readForm(fields.form, origins)]),
    ...(fields.token === undefined ? [] : [readToken({ ...fields, token: fields.token })]),
  ];
  const [credentials] = found;
  if (credentials === undefined || found.length > 1)
    throw createValidationFailure([
      { field: 'body', message: 'must have exactly one of headers, cookies, form and token' },
    ]);
  return { name: fields.name, origins, collection: fields.collection ?? fields.name, credentials };
}

function readOrigin(text: string, checkUrl: CheckUrl): string {
  const url = checkUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw createValidationFailure([
      { field: 'origins', message: 'must be hosts such as intranet.example.com, without a path' },
    ]);
  return url.origin;
}

function readHeaders(given: Record<string, string>): Credentials {
  const read = readCallerHeaders(given);
  if ('problem' in read) throw createValidationFailure([{ field: 'headers', message: read.problem }]);
  if (read.headers === null || read.ignored.length > 0)
    throw createValidationFailure([
      { field: 'headers', message: 'must have headers, and none of the connection and no User-Agent' },
    ]);
  return { method: 'headers', headers: read.headers };
}

function readCookies(text: string): Credentials {
  const cookies = parseCookiesFile(text);
  if ('problem' in cookies)
    throw createValidationFailure([
      { field: 'cookies', message: `must be a cookies.txt; line ${cookies.problem} is no cookie` },
    ]);
  if (cookies.length === 0)
    throw createValidationFailure([{ field: 'cookies', message: 'must have a cookie' }]);
  return { method: 'cookies', cookies };
}

function readForm(
  { url: text, fields }: { url: string; fields: Record<string, string> },
  origins: readonly string[],
): Credentials {
  const url = URL.parse(addScheme(text));
  if (url === null || !origins.includes(url.origin))
    throw createValidationFailure([{ field: 'form.url', message: 'must be on one of the hosts' }]);
  return { method: 'form', url: url.href, fields };
}

function readToken({
  token,
  service,
  user = null,
}: {
  token: string;
  service: (typeof SERVICES)[number];
  user?: string | undefined | null;
}): Credentials {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw createValidationFailure([{ field: 'token', message: 'must have visible characters only' }]);
  if (service === 'bearer') return { method: 'headers', headers: { authorization: `Bearer ${token}` } };
  return { method: service, token, user };
}
