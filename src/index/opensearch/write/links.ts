import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { StoreUnavailable } from '../../../contract/errors.ts';
import { findEncoder } from '../../../text/embeddings/encoder-for.ts';
import { extractLinkTexts } from '../../anchors/link-texts.ts';
import { hashTarget } from '../../anchors/page-anchors.ts';
import type { IndexedPage } from '../../local-index-types.ts';
import { type Cluster, ClusterRefusal } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { type BulkOperation, sendBulk } from './bulk.ts';

/** The links of a page to others of its host; `target` is a hash of their canonical address. */
type Links = { id: string; links: { target: number; text: string }[] };

/** Writes the texts of links between pages. Only the order of results depends on them. */
export type LinkWriter = {
  /** `changed`: ids of pages that may have had other links before. Does not reject when the cluster is unavailable or refuses. */
  put(pages: readonly Links[], changed: ReadonlySet<string>): Promise<void>;
  /** Deletes the link texts of removed pages. */
  drop(ids: readonly string[]): Promise<void>;
};

/** Maximum links remembered as written. A link text is stored once per target, because most links of a site are on all of its pages. */
const KNOWN_MAX = 200_000;
/** Time for which a link counts as written; another process may delete it. */
const KNOWN_MS = 600_000;
const DROPPED_AT_ONCE = 1_000;

/** Pure: extracts the links of a page with their texts. */
export function extractLinks(page: IndexedPage): Links['links'] {
  // Names are compared by meaning, so languages that the model does not know are skipped. Texts of links count for the pages they lead to,
  // which others find, so those of private pages are too.
  if (findEncoder(page.language) === null || page.library?.isPrivate === true) return [];
  return [...extractLinkTexts(page)].flatMap(([address, texts]) => {
    const target = hashTarget(address);
    return texts.map((text) => ({ target, text }));
  });
}

export function createLinkWriter(cluster: Cluster, { links: index }: IndexNames): LinkWriter {
  const known = new LRUCache<string, true>({ max: KNOWN_MAX, ttl: KNOWN_MS });
  const drop: LinkWriter['drop'] = async (ids) => {
    if (ids.length === 0) return;
    // Makes texts that were just written searchable.
    await cluster.request({ method: 'POST', path: `/${index}/_refresh` });
    for (let isLast = false; !isLast; ) {
      const { hits } = await cluster.request<{ hits: { hits: { _id: string }[] } }>({
        method: 'POST',
        path: `/${index}/_search`,
        query: { allow_partial_search_results: false },
        body: { size: DROPPED_AT_ONCE, _source: false, query: { terms: { source: ids } } },
      });
      const removals = hits.hits.map(({ _id: id }): BulkOperation => ({ index, id, remove: true }));
      isLast = removals.length < DROPPED_AT_ONCE;
      await sendBulk(cluster, removals, { wait: !isLast });
    }
  };
  return {
    drop,
    async put(pages, changed) {
      const operations = new Map<string, BulkOperation>();
      for (const { id: source, links } of pages)
        for (const { target, text } of links) {
          const said = `${target} ${text}`;
          if (known.has(said) && !changed.has(source)) continue;
          known.set(said, true);
          const id = createHash('sha256').update(said).digest('base64url');
          // The first page with the text becomes its source.
          operations.set(id, { index, id, put: { target, source, text }, over: null });
        }
      try {
        await drop([...changed]);
        await sendBulk(cluster, [...operations.values()], { wait: false });
      } catch (error) {
        known.clear();
        if (!(error instanceof StoreUnavailable || error instanceof ClusterRefusal)) throw error;
      }
    },
  };
}
