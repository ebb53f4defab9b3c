/**
 * `sanderling sites`: sign-in profiles of the operator or of a key, and their collections. It works on the stores of the server, which may be
 * running. It never prints a credential.
 */
import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from '../../app/config.ts';
import { Failure } from '../../contract/errors.ts';
import { parseBody } from '../../http/calls/json-body.ts';
import { CollectionBody, readSiteOrder } from '../../http/v1/private-site-fields.ts';
import type { PageCollection, SignInProfile } from '../../sites/private-site-types.ts';
import type { PrivateSites } from '../../sites/private-sites.ts';
import { withServices } from '../index-commands.ts';

export type OwnerOptions = { ownerKey?: string; json?: boolean };
export type AddSiteOptions = OwnerOptions & {
  header: string[];
  field: string[];
  cookies?: string;
  form?: string;
  token?: string;
  service?: string;
  user?: string;
  collection?: string;
};

type Own = { sites: PrivateSites; owner: string };

/** Each resolves to the exit code. */
export function addSite(
  config: Config,
  { name, hosts }: { name: string; hosts: string[] },
  { ownerKey, json = false, header, field, cookies, form, token, ...others }: AddSiteOptions,
): Promise<number> {
  const body = {
    name,
    origins: hosts,
    ...others,
    ...(header.length === 0 ? {} : { headers: splitPairs(header, ':') }),
    ...(cookies === undefined ? {} : { cookies: readFileSync(cookies, 'utf8') }),
    ...(form === undefined ? {} : { form: { url: form, fields: splitPairs(field, '=') } }),
    ...(token === undefined ? {} : { token: readValue(token) }),
  };
  return withSites(config, ownerKey, async ({ sites, owner }, checkUrl) => {
    const profile = await sites.put({ owner, ...readSiteOrder(body, checkUrl) });
    print(json ? JSON.stringify(profile) : formatProfile(profile));
    return 0;
  });
}

export function listSites(
  config: Config,
  name: string | null,
  { ownerKey, json = false }: OwnerOptions,
): Promise<number> {
  return withSites(config, ownerKey, async ({ sites, owner }) => {
    const profiles = (await sites.list(owner)).filter((profile) => name === null || profile.name === name);
    if (name !== null && profiles.length === 0)
      throw new Failure('not_found', `There is no profile "${name}".`);
    const collections = name === null ? await sites.collections.list(owner) : [];
    if (json) print(JSON.stringify({ sites: profiles, collections }));
    else if (profiles.length === 0 && collections.length === 0)
      print('There are no profiles: sanderling sites add <name> <host> --token <token>');
    else print([...profiles.map(formatProfile), ...collections.map(formatCollection)].join('\n'));
    return 0;
  });
}

export function shareCollection(
  config: Config,
  { collection, ids }: { collection: string; ids: string[] },
  { ownerKey, json = false }: OwnerOptions,
): Promise<number> {
  return withSites(config, ownerKey, async ({ sites, owner }) => {
    const { readers } = parseBody(CollectionBody, { readers: ids });
    const changed = await sites.collections.setReaders(owner, collection, readers);
    if (changed === null) throw new Failure('not_found', `There is no collection "${collection}".`);
    print(json ? JSON.stringify(changed) : formatCollection(changed));
    return 0;
  });
}

export function removeSite(
  config: Config,
  name: string,
  { ownerKey, json = false, pages = false }: OwnerOptions & { pages?: boolean },
): Promise<number> {
  return withSites(config, ownerKey, async ({ sites, owner }) => {
    const isRemoved = await sites.remove(owner, name);
    const isEmptied = pages && (await sites.collections.remove(owner, name));
    if (!isRemoved && !isEmptied) throw new Failure('not_found', `There is no profile "${name}".`);
    const told = isEmptied ? `${name} is deleted, with the pages of its collection.` : `${name} is deleted.`;
    print(json ? JSON.stringify({ name, deleted: true, pages: isEmptied }) : told);
    return 0;
  });
}

function withSites(
  config: Config,
  ownerKey: string | undefined,
  work: (own: Own, checkUrl: Parameters<typeof readSiteOrder>[1]) => Promise<number>,
): Promise<number> {
  if (config.privateSites === 'off' || (ownerKey !== undefined && config.privateSites !== 'keys'))
    throw new ConfigError(
      `PRIVATE_SITES: is ${config.privateSites}; set it to ${ownerKey === undefined ? 'operator' : 'keys'}`,
    );
  return withServices(config, async ({ privateSites: sites, network }) => {
    if (sites === null) throw new ConfigError('PRIVATE_SITES: is off');
    return work({ sites, owner: ownerKey === undefined ? 'operator' : `key ${ownerKey}` }, network.checkUrl);
  });
}

/** `["Name: value"]` -> `{ Name: "value" }`. */
function splitPairs(pairs: readonly string[], separator: ':' | '='): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf(separator);
      if (at < 1)
        throw new Failure(
          'validation_error',
          `must be written as name${separator}value: ${pair.split(separator)[0]}`,
        );
      return [pair.slice(0, at).trim(), readValue(pair.slice(at + 1).trim())];
    }),
  );
}

/** `@file` keeps a secret out of the list of processes and the history of the shell. */
const readValue = (text: string): string =>
  text.startsWith('@') ? readFileSync(text.slice(1), 'utf8').trim() : text;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const formatProfile = ({ name, origins, method, collection }: SignInProfile): string =>
  `${name}  ${origins.join(' ')}  by ${method}, into the collection ${collection}`;

const formatCollection = ({ name, pages, bytes, readers }: PageCollection): string =>
  `collection ${name}  ${pages} pages, ${bytes} bytes${readers.length === 0 ? '' : `, also for ${readers.join(' ')}`}`;
