import { LRUCache } from 'lru-cache';
import { type Filters, listSetFilters, pickFilters } from '../../text/query/filters.ts';
import { hashTerm } from '../../text/words/hashed/hash-of.ts';
import { buildDomainMarks, type MarkedDomain } from '../index-marks.ts';
import { findPlace, type OpenSegment, type OpenSegments } from './open-segments.ts';
import { createPostings } from './posting-format.ts';
import { toDayNumber } from './segment-schema.ts';

/** The pages that the filters of a query admit. */
export type AdmittedPages = {
  /** A mask over the places of a segment: 1 for each admitted page. */
  places(segment: OpenSegment): Uint8Array;
  has(id: number): boolean;
  count: number;
  ids(): number[];
};

/** Filters cached per segment, whose pages never change. */
const FILTERS_KEPT = 4;

/** Finds the pages that a query admits; null when it filters nothing. `segments`: all segments of the index. */
type Admission = (query: Filters, segments: readonly OpenSegment[]) => AdmittedPages | null;

export function createAdmission(read: OpenSegments['read']): Admission {
  const kept = new WeakMap<OpenSegment, LRUCache<string, Uint8Array>>();
  const postings = createPostings();
  return (query, segments) => {
    if (listSetFilters(query).length === 0) return null;
    const key = JSON.stringify(pickFilters(query));
    const findPlaces = (segment: OpenSegment): Uint8Array => {
      const masks = kept.get(segment) ?? new LRUCache<string, Uint8Array>({ max: FILTERS_KEPT });
      kept.set(segment, masks);
      const known = masks.get(key);
      if (known !== undefined) return known;
      const mask = buildMask(query, segment, { read, postings });
      masks.set(key, mask);
      return mask;
    };
    return createAdmittedPages(findPlaces, segments);
  };
}

function createAdmittedPages(
  places: AdmittedPages['places'],
  segments: readonly OpenSegment[],
): AdmittedPages {
  let count = 0;
  for (const segment of segments) {
    const mask = places(segment);
    for (let place = 0; place < segment.count; place += 1)
      count += (mask[place] as number) & (segment.alive[place] as number);
  }
  return {
    places,
    count,
    has(id) {
      const segment = segments.find(({ firstId, lastId }) => firstId <= id && id <= lastId);
      if (segment === undefined) return false;
      const place = findPlace(segment, id);
      return place >= 0 && places(segment)[place] === 1 && segment.alive[place] === 1;
    },
    ids: () =>
      segments.flatMap((segment) => {
        const mask = places(segment);
        const ids: number[] = [];
        for (const [place, offset] of segment.offsets.entries())
          if (mask[place] === 1 && segment.alive[place] === 1) ids.push(segment.firstId + offset);
        return ids;
      }),
  };
}

type Reading = { read: OpenSegments['read']; postings: ReturnType<typeof createPostings> };

function buildMask(query: Filters, segment: OpenSegment, reading: Reading): Uint8Array {
  const { included, excluded } = buildDomainMarks(query);
  const mask =
    included === null ? new Uint8Array(segment.count).fill(1) : maskDomains(included, segment, reading);
  if (excluded.length > 0) {
    const without = maskDomains(excluded, segment, reading);
    for (let place = 0; place < mask.length; place += 1) if (without[place] === 1) mask[place] = 0;
  }
  if (query.publishedFrom !== null || query.publishedTo !== null) {
    const from = Math.max(1, query.publishedFrom === null ? 1 : toDayNumber(query.publishedFrom));
    const to = query.publishedTo === null ? Number.POSITIVE_INFINITY : toDayNumber(query.publishedTo);
    for (let place = 0; place < mask.length; place += 1) {
      const day = segment.days[place] as number;
      if (day < from || day > to) mask[place] = 0;
    }
  }
  return mask;
}

/** Builds a mask with 1 at the places of the pages in any of the domains. */
function maskDomains(domains: MarkedDomain[], segment: OpenSegment, { read, postings }: Reading): Uint8Array {
  const mask = new Uint8Array(segment.count);
  for (const { host, path } of domains) {
    if (!read(segment, hashTerm(host), postings)) continue;
    const ofHost = postings.places.slice(0, postings.count);
    if (path === null) {
      for (const place of ofHost) mask[place] = 1;
      continue;
    }
    if (!read(segment, hashTerm(path), postings)) continue;
    const ofPath = new Set(postings.places.subarray(0, postings.count));
    for (const place of ofHost) if (ofPath.has(place)) mask[place] = 1;
  }
  return mask;
}
