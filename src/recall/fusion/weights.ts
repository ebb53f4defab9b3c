import type { Upstream } from '../upstream/upstream-types.ts';
import type { ListedItem } from './fuse.ts';

/** A metasearch server has fused already: its places are worth a little less than those of an engine. */
const WEB: Record<string, number> = { searxng: 0.9 };
const FIELD_MIN = 0.5;
const INDEX_MIN = 0.5;
/** From this score on a page of the local index is about the query. */
const INDEX_SCORE_GOOD = 0.5;

/** What a first place of an upstream source counts. */
export function weightOfUpstream({ name, scope }: Pick<Upstream, 'name' | 'scope'>, fit: number): number {
  return scope === 'web' ? (WEB[name] ?? 1) : FIELD_MIN + (1 - FIELD_MIN) * fit;
}

/** The local index counts like a field source that fits as well as its best page: its scores mean the same for every query. */
export function weightOfIndex(items: readonly ListedItem[]): number {
  const best = Math.max(0, ...items.map(({ localScore }) => localScore ?? 0));
  return INDEX_MIN + (1 - INDEX_MIN) * Math.min(1, best / INDEX_SCORE_GOOD);
}
