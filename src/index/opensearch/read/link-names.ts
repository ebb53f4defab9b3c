import { LRUCache } from 'lru-cache';
import { hashTarget, SOURCES_MAX } from '../../anchors/page-anchors.ts';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { NOT_STORED } from './page-words.ts';

/** Reads the texts of links to each page from other pages of its host; `changed`: the number of changes that this process has made. */
type LinkNames = (
  urls: readonly string[],
  changed: number,
) => Promise<ReadonlyMap<string, readonly string[]>>;

const PAGES_KEPT_MAX = 20_000;
/** Short staleness is harmless, because only the order of results depends on link texts. */
const KEPT_MS = 1_000;
const TEXTS_MAX = 4_000;

type Hit = { fields?: { target?: number[]; text?: string[] } };

/** Creates a cached reader of the link texts that `write/links.ts` writes. */
export function createLinkNames(cluster: Cluster, { links }: IndexNames): LinkNames {
  const kept = new LRUCache<string, string[]>({ max: PAGES_KEPT_MAX, ttl: KEPT_MS });
  let keptAt = 0;
  return async (urls, changed) => {
    if (changed !== keptAt) kept.clear();
    keptAt = changed;
    const names = new Map<string, readonly string[]>();
    const asked: string[] = [];
    for (const url of urls) {
      const known = kept.get(url);
      if (known === undefined) asked.push(url);
      else names.set(url, known);
    }
    if (asked.length === 0) return names;
    const texts = new Map<number, string[]>(asked.map((url) => [hashTarget(url), []]));
    const { hits } = await cluster.request<{ hits: { hits: Hit[] } }>({
      method: 'POST',
      path: `/${links}/_search`,
      body: {
        size: TEXTS_MAX,
        track_total_hits: false,
        sort: ['_doc'],
        ...NOT_STORED,
        query: { terms: { target: [...texts.keys()] } },
        docvalue_fields: ['target', 'text'],
      },
    });
    for (const { fields } of hits.hits) {
      const [target, text] = [fields?.target?.[0], fields?.text?.[0]];
      const held = target === undefined ? undefined : texts.get(target);
      if (held !== undefined && text !== undefined && held.length < SOURCES_MAX * 2) held.push(text);
    }
    for (const url of asked) {
      const found = texts.get(hashTarget(url)) ?? [];
      kept.set(url, found);
      names.set(url, found);
    }
    return names;
  };
}
