/**
 * Peers: other Sanderling servers as sources. A peer is asked in Brave's shape, which gives passages without opening pages. It is trusted
 * less than other sources: its scores are not read, its texts are used only for pages that no other source proposes, and fusion folds its
 * pages into those of others, never the reverse. The header `Sanderling-Via` ends loops.
 */
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import { parseDay } from '../responses/answer-day.ts';
import { cleanText, readListAt, readTextAt } from '../responses/loose-json.ts';
import { parseLastNumber, readJson, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/read-json.ts';
import type { SourceSpec } from '../source.ts';
import { brave } from './brave.ts';

/** An operator's settings for a peer, beside its address and key. */
export type PeerSettings = {
  /** `sanderling:` and the operator's name for it. */
  readonly name: string;
  /** Weight of its first place, above 0 and at most 1. */
  readonly weight: number;
  /** The keys whose calls it is asked for, by id; null: every call. */
  readonly keyIds: readonly string[] | null;
  /** Its answers depend on a key and are never cached. */
  readonly hasKey: boolean;
};

export const PEER_PREFIX = 'sanderling:';
/** On a call of one server to another: the ids of the servers that the search has passed, first to last. */
export const VIA_HEADER = 'sanderling-via';
/** A search that has passed this many servers is not passed on. */
const HOPS_MAX = 2;
const COUNT_MAX = 20;

/** Returns whether a source is a peer. */
export const isPeer = (source: string): boolean => source.startsWith(PEER_PREFIX);

const SERVER_ID = /^[0-9a-f]{16}$/;

/** Reads the servers that a search has passed. No more are read than any server passes on. */
export function parseVia(header: string | string[] | undefined): string[] {
  const ids = String(header ?? '').split(',', 2 * HOPS_MAX);
  return ids.map((id) => id.trim()).filter((id) => SERVER_ID.test(id));
}

/** Declares a peer as a source. `serverId`: the id of this server. */
export function createPeerSource(
  { name, weight, keyIds, hasKey }: PeerSettings,
  serverId: string,
): SourceSpec {
  const tenants = keyIds === null ? null : new Set<Tenant>(keyIds.map((id) => `key ${id}`));
  const readers =
    keyIds === null ? 'every caller' : keyIds.length === 1 ? 'one key' : `${keyIds.length} keys`;
  return {
    name,
    about: `what another Sanderling server finds, for ${readers}`,
    scope: 'field',
    hosts: null,
    terms: null,
    needsConsent: false,
    key: { setting: 'PEER_KEYS', required: false },
    base: { setting: 'PEERS', standard: null },
    rate: { calls: 20, perMs: 1_000, atOnce: 10 },
    queryMax: brave.queryMax,
    weight,
    mayBeCached: !hasKey,
    fit: () => 1,
    mayAsk: ({ tenant, via = [] }) => via.length < HOPS_MAX && (tenants?.has(tenant) ?? true),
    request(asked, settings) {
      const { url, headers } = brave.request(asked, settings);
      return {
        url,
        headers: {
          ...headers,
          [VIA_HEADER]: [...(asked.via ?? []), serverId].join(', '),
          ...(asked.keep === false ? { 'x-no-store': '1' } : {}),
        },
      };
    },
    read(response) {
      const answer = readJson(response, {
        entries: (root) => readListAt(root, 'web', 'results'),
        item: (entry) => ({
          url: readTextAt(entry, 'url'),
          title: cleanText(readTextAt(entry, 'title'), TITLE_CHARS_MAX),
          snippet: cleanText(readTextAt(entry, 'description'), SNIPPET_CHARS_MAX),
          publishedDay: parseDay(readTextAt(entry, 'page_age')),
        }),
        quotaLeft: (_root, { headers }) => parseLastNumber(headers['x-credits-remaining']),
      });
      return answer.kind === 'ok' ? { ...answer, items: answer.items.slice(0, COUNT_MAX) } : answer;
    },
  };
}
