import * as z from 'zod';
import { PEER_PREFIX, type PeerSettings } from '../recall/sources/sanderling.ts';

/** A peer with the address and key under which it is asked. */
type ConfiguredPeer = PeerSettings & { readonly baseUrl: string; readonly key: string | null };

export const PEER_SETTING_NAMES = ['PEERS', 'PEER_KEYS', 'PEER_WEIGHTS', 'PEER_CALLERS'] as const;

const PEERS_MAX = 10;
/** Below that of other sources, which the operator has chosen by name and terms. */
const WEIGHT_DEFAULT = 0.8;
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const KEY = /^[\x21-\x7e]{1,512}$/;
const EVERYBODY = 'all';
const CALLER = /^(?:all|key_[0-9a-z]{1,64})$/;

type Environment = Record<string, string | undefined>;
/** An item `name=value` of a comma list. */
type Item = { name: string; value: string };

/**
 * Pure: environment without empty variables -> the peers, or the problems. A peer with a key must say for whom it is asked, because its
 * answers may hold what only the owner of that key may read.
 */
export function readPeerSettings(present: Environment): { peers: ConfiguredPeer[]; problems: string[] } {
  const [addresses, keys, weights, callers] = PEER_SETTING_NAMES.map((name) => parseItems(present[name]));
  const names = new Set((addresses ?? []).map(({ name }) => name));
  const problems = [
    ...findBadItems('PEERS', addresses, {
      isRight: ({ name, value }) => NAME.test(name) && isAddress(value),
      reason: 'must be a comma list of name=address such as team=https://search.example.org',
    }),
    ...findBadItems('PEER_KEYS', keys, {
      isRight: ({ name, value }) => names.has(name) && KEY.test(value),
      reason: 'must be a comma list of name=key, for names in PEERS',
    }),
    ...findBadItems('PEER_WEIGHTS', weights, {
      isRight: ({ name, value }) => names.has(name) && Number(value) > 0 && Number(value) <= 1,
      reason: 'must be a comma list of name=weight such as team=0.5, above 0 and at most 1',
    }),
    ...findBadItems('PEER_CALLERS', callers, {
      isRight: ({ name, value }) => names.has(name) && CALLER.test(value),
      reason: 'must be a comma list of name=all or name=key_… (sanderling keys list shows the ids of keys)',
    }),
    ...(names.size < (addresses?.length ?? 0) ? ['PEERS: names a peer twice'] : []),
    ...(names.size > PEERS_MAX ? [`PEERS: must name at most ${PEERS_MAX}`] : []),
  ];
  if (problems.length > 0) return { peers: [], problems };
  const findValue = (items: Item[] | undefined, wanted: string): string | null =>
    items?.find(({ name }) => name === wanted)?.value ?? null;
  const peers = (addresses ?? []).map(({ name, value }): ConfiguredPeer => {
    const key = findValue(keys, name);
    const readers = (callers ?? []).filter((item) => item.name === name).map((item) => item.value);
    if (key !== null && readers.length === 0)
      problems.push(
        `PEER_CALLERS: must say for whom ${name} is asked, because it has a key: ${name}=all or ${name}=key_…`,
      );
    return Object.freeze({
      name: PEER_PREFIX + name,
      baseUrl: value.replace(/(?<!\/)\/+$/, ''),
      key,
      hasKey: key !== null,
      weight: Number(findValue(weights, name) ?? WEIGHT_DEFAULT),
      keyIds: readers.length === 0 || readers.includes(EVERYBODY) ? null : Object.freeze(readers),
    });
  });
  return { peers, problems };
}

function parseItems(list: string | undefined): Item[] {
  const items = (list ?? '').split(',').map((item) => item.trim());
  return items
    .filter((item) => item !== '')
    .map((item) => {
      const end = item.indexOf('=');
      return { name: item.slice(0, Math.max(0, end)).toLowerCase(), value: item.slice(end + 1).trim() };
    });
}

function findBadItems(
  setting: string,
  items: Item[] | undefined,
  { isRight, reason }: { isRight(item: Item): boolean; reason: string },
): string[] {
  return (items ?? []).every(isRight) ? [] : [`${setting}: ${reason}`];
}

const ADDRESS = z.url({ protocol: /^https?$/ });

/** Returns whether a text is the address of a service: http(s), without a query or credentials. */
export function isAddress(text: string): boolean {
  if (!ADDRESS.safeParse(text).success) return false;
  const { username, password, search, hash } = new URL(text);
  return username === '' && password === '' && search === '' && hash === '';
}
