import type { SourceSpec } from '../recall/source.ts';
import { ALL_SOURCES } from '../recall/sources/all-sources.ts';
import type { PeerSettings } from '../recall/sources/sanderling.ts';
import { isAddress, PEER_SETTING_NAMES, readPeerSettings } from './peer-settings.ts';

/** A source that is on: its address and its key. */
type ConfiguredSource = { readonly baseUrl: string; readonly key: string | null };

/** The settings of recall. */
export type SourcesConfig = {
  /** True if the local index is a source. */
  readonly localIndex: boolean;
  /** Other sources are asked only if the best result of the local index has a lower score, 0 to 1. */
  readonly outsideBelow: number;
  /** Contact address for the operators of sources: CONTACT, else BASE_URL; null: neither is set. */
  readonly contact: string | null;
  /** Enabled sources, by name. */
  readonly sources: Readonly<Record<string, ConfiguredSource>>;
  /** Reason why each other source is off, for the operator, by name. */
  readonly sourcesOff: Readonly<Record<string, string>>;
  /** Other Sanderling servers; each is also among the sources. */
  readonly peers: readonly PeerSettings[];
};

type Environment = Record<string, string | undefined>;
/** The verdict on a source: on, off with the reason, or half configured. */
type SourceVerdict = { on: ConfiguredSource } | { off: string } | { problem: string };

/** The reason why a source is off that RECALL leaves out. */
const NOT_NAMED = 'RECALL does not name it';
/** The word for the local index in `RECALL`. */
const LOCAL_INDEX = 'index';
const NAMES: ReadonlySet<string> = new Set(ALL_SOURCES.map(({ name }) => name));
const CONTACT_CHARS_MAX = 200;
const CONTACT = /^(?:https?:\/\/[\x21-\x7e]+|[^\s<>()@]+@[\x21-\x7e]+\.[a-z]{2,})$/i;
const KEY = /^[\x21-\x7e]{1,512}$/;

/** Names of all variables read here, for the test that checks `.env.example`. */
export const SOURCE_SETTING_NAMES: readonly string[] = [
  'RECALL',
  'RECALL_OUTSIDE_BELOW',
  'CONTACT',
  'ACCEPT_PROVIDER_TERMS',
  ...ALL_SOURCES.flatMap(({ base, key }) => [base.setting, ...(key === null ? [] : [key.setting])]),
  ...PEER_SETTING_NAMES,
];

/** Pure: environment without empty variables -> the sources, or the problems, each `NAME: what to do`. */
export function readSourceSettings(present: Environment): { config: SourcesConfig } | { problems: string[] } {
  const recall = parseNames(present.RECALL);
  const accepted = parseNames(present.ACCEPT_PROVIDER_TERMS) ?? new Set();
  const { peers, problems: peerProblems } = readPeerSettings(present);
  const named = [...NAMES, LOCAL_INDEX, ...peers.map(({ name }) => name)];
  const problems = [
    ...peerProblems,
    ...findUnknownNames('RECALL', recall ?? new Set(), new Set(named)),
    ...findUnknownNames('ACCEPT_PROVIDER_TERMS', accepted, NAMES),
    ...findContactProblems(present.CONTACT),
    ...findShareProblems(present.RECALL_OUTSIDE_BELOW),
  ];
  const sources: Record<string, ConfiguredSource> = {};
  const sourcesOff: Record<string, string> = {};
  for (const spec of ALL_SOURCES) {
    const judged = judge(spec, { present, recall, accepted });
    if ('problem' in judged) problems.push(judged.problem);
    else if ('off' in judged) sourcesOff[spec.name] = judged.off;
    else sources[spec.name] = Object.freeze(judged.on);
  }
  for (const { name, baseUrl, key } of peers) {
    if (recall === null || recall.has(name)) sources[name] = Object.freeze({ baseUrl, key });
    else sourcesOff[name] = NOT_NAMED;
  }
  if (problems.length > 0) return { problems };
  return {
    config: {
      localIndex: recall === null || recall.has(LOCAL_INDEX),
      outsideBelow: Number(present.RECALL_OUTSIDE_BELOW ?? 1),
      contact: present.CONTACT ?? null,
      sources: Object.freeze(sources),
      sourcesOff: Object.freeze(sourcesOff),
      peers: Object.freeze(peers),
    },
  };
}

function parseNames(list: string | undefined): Set<string> | null {
  const names = (list ?? '').split(',').map((name) => name.trim().toLowerCase());
  const named = new Set(names.filter((name) => name !== ''));
  return named.size === 0 ? null : named;
}

function findUnknownNames(setting: string, named: Set<string>, known: ReadonlySet<string>): string[] {
  return [...named]
    .filter((name) => !known.has(name))
    .map(
      (name) =>
        `${setting}: there is no source ${JSON.stringify(name)}; the sources are ${[...known].join(', ')}`,
    );
}

function findContactProblems(contact: string | undefined): string[] {
  if (contact === undefined || (contact.length <= CONTACT_CHARS_MAX && CONTACT.test(contact))) return [];
  return ['CONTACT: must be an email address or an http(s) address where you can be reached'];
}

function findShareProblems(share: string | undefined): string[] {
  if (share === undefined || /^(?:0(?:\.\d{1,4})?|1(?:\.0{1,4})?)$/.test(share)) return [];
  return ['RECALL_OUTSIDE_BELOW: must be a number from 0 to 1, such as 0.5'];
}

type SourceSelection = { present: Environment; recall: Set<string> | null; accepted: Set<string> };

/** Judges a source. A half-configured one is a problem, not off: a key or a name in RECALL shows that the operator wants it. */
function judge(spec: SourceSpec, { present, recall, accepted }: SourceSelection): SourceVerdict {
  const { name, base, key, needsConsent, terms } = spec;
  if (recall !== null && !recall.has(name)) return { off: NOT_NAMED };
  const setBase = present[base.setting];
  const setKey = key === null ? undefined : present[key.setting];
  const isNamed = recall !== null;
  const isWanted = isNamed || setBase !== undefined || setKey !== undefined;
  if (setBase !== undefined && !isAddress(setBase))
    return { problem: `${base.setting}: must be an http(s) address without a query or credentials` };
  if (key !== null && setKey !== undefined && !KEY.test(setKey))
    return { problem: `${key.setting}: contains a character that no key can contain` };
  const baseUrl = setBase?.replace(/(?<!\/)\/+$/, '') ?? base.standard;
  if (baseUrl === null)
    return buildMissingVerdict(`${base.setting}`, 'the address of your server', name, isNamed);
  if (key?.required === true && setKey === undefined)
    return buildMissingVerdict(key.setting, 'a key', name, isWanted || accepted.has(name));
  if (terms !== null && needsConsent && !accepted.has(name)) {
    const problem = `ACCEPT_PROVIDER_TERMS: must name ${name} to turn it on (${terms.note}; ${terms.url})`;
    return isWanted ? { problem } : { off: 'ACCEPT_PROVIDER_TERMS does not name it' };
  }
  return { on: { baseUrl, key: setKey ?? null } };
}

function buildMissingVerdict(setting: string, what: string, name: string, isWanted: boolean): SourceVerdict {
  return isWanted ? { problem: `${setting}: ${name} needs ${what}` } : { off: `${setting} is not set` };
}
