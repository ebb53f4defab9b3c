/** Counts the copied pages of each host. */
type TextPrints = {
  /** Pages that no longer fit are counted and left out. */
  add(print: number, host: number): void;
  dropped(): number;
  /** Counts, for each host, the pages with the same text as a page of a higher-ranked host or as another page of its own. */
  copied(rankOf: (host: number) => number): Map<number, number>;
};

const FIRST_PAGES = 1_024;
/** Minimum ratio of ranks that tells which of two hosts wrote a text. */
const HIGHER = 1.2;

export function createPrints(pagesMax: number): TextPrints {
  let prints = new Float64Array(FIRST_PAGES);
  let hosts = new Uint32Array(FIRST_PAGES);
  let size = 0;
  let dropped = 0;
  const grow = (): void => {
    const [morePrints, moreHosts] = [new Float64Array(size * 2), new Uint32Array(size * 2)];
    morePrints.set(prints);
    moreHosts.set(hosts);
    [prints, hosts] = [morePrints, moreHosts];
  };
  return {
    add(print, host) {
      if (size >= pagesMax) {
        dropped += 1;
        return;
      }
      if (size === prints.length) grow();
      prints[size] = print;
      hosts[size] = host;
      size += 1;
    },
    dropped: () => dropped,
    copied(rankOf) {
      const order = Uint32Array.from({ length: size }, (_, page) => page);
      order.sort((one, other) => (prints[one] ?? 0) - (prints[other] ?? 0));
      const counts = new Map<number, number>();
      for (let first = 0, end = 0; first < size; first = end) {
        const print = prints[order[first] ?? 0];
        while (end < size && prints[order[end] ?? 0] === print) end += 1;
        if (end - first > 1)
          countCopies(
            Array.from(order.subarray(first, end), (page) => hosts[page] ?? 0),
            { rankOf, counts },
          );
      }
      return counts;
    },
  };
}

/** Counts the copies among the hosts of one text. */
function countCopies(
  hosts: readonly number[],
  { rankOf, counts }: { rankOf: (host: number) => number; counts: Map<number, number> },
): void {
  const held = new Map<number, number>();
  for (const host of hosts) held.set(host, (held.get(host) ?? 0) + 1);
  const highest = [...held.keys()].reduce((most, host) => Math.max(most, rankOf(host)), 0);
  for (const [host, pages] of held) {
    const copies = highest > HIGHER * rankOf(host) ? pages : pages - 1;
    if (copies > 0) counts.set(host, (counts.get(host) ?? 0) + copies);
  }
}
