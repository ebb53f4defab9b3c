/** Addresses found so far, within bounds. */
export type SeenUrls = {
  remember(url: string): void;
  /** Remembers an address and returns true if it is new and within the bounds. */
  admit(url: string): boolean;
};

/** Maximum queries per path; a path with more is a calendar or a filter, not pages. */
const QUERIES_PER_PATH_MAX = 200;

/** Accepts at most `urlsMax` addresses, and at most QUERIES_PER_PATH_MAX queries per path. */
export function createSeenUrls(urlsMax: number): SeenUrls {
  const urls = createUrlSet();
  const queries = new Map<string, number>();
  const remember = (url: string): void => {
    if (urls.has(url)) return;
    urls.add(url);
    const path = findQueryPath(url);
    if (path !== null) queries.set(path, (queries.get(path) ?? 0) + 1);
  };
  return {
    remember,
    admit(url) {
      if (urls.has(url) || urls.size >= urlsMax) return false;
      const path = findQueryPath(url);
      if (path !== null && (queries.get(path) ?? 0) >= QUERIES_PER_PATH_MAX) return false;
      remember(url);
      return true;
    },
  };
}

function findQueryPath(url: string): string | null {
  const query = url.indexOf('?');
  return query === -1 ? null : url.slice(0, query);
}

/** A set of addresses that takes about 16 bytes for each, whatever their length. */
type UrlSet = {
  readonly size: number;
  has(url: string): boolean;
  add(url: string): void;
};

const SLOTS_MIN = 1_024;
/** Maximum fill ratio; fuller tables have long probe sequences. */
const FILLED_MAX = 0.6;

/**
 * Keeps a 53-bit hash of each address in an open-addressing table, so that in one of 18,000 crawls with a
 * million addresses, two addresses collide and the crawl misses a page.
 */
export function createUrlSet(): UrlSet {
  let slots = new Float64Array(SLOTS_MIN);
  let size = 0;
  /** Returns the slot of the hash, or the free slot where it belongs; 0 marks a free slot. */
  const findSlot = (hash: number): number => {
    let at = hash % slots.length;
    while (slots[at] !== 0 && slots[at] !== hash) at = (at + 1) % slots.length;
    return at;
  };
  const grow = (): void => {
    const before = slots;
    slots = new Float64Array(before.length * 2);
    for (const hash of before) if (hash !== 0) slots[findSlot(hash)] = hash;
  };
  return {
    get size() {
      return size;
    },
    has: (url) => slots[findSlot(hashUrl(url))] !== 0,
    add(url) {
      const hash = hashUrl(url);
      const at = findSlot(hash);
      if (slots[at] === hash) return;
      slots[at] = hash;
      size += 1;
      if (size > slots.length * FILLED_MAX) grow();
    },
  };
}

/** FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) from two starts: 32 and 21 bits of one number, never 0. */
function hashUrl(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 16), 0x85ebca6b);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0) || 1;
}
