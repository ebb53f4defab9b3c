/** A query whose right pages are known, as paths below the root of its site. */
export type KnownItem = { query: string; pages: string[]; host?: string };

/** Query -> addresses, best first. */
export type PagesFor = (query: string) => Promise<string[]>;

export type Measured = { mrr: number; success1: number; success5: number; msMedian: number };

/** MRR@10 and success@1 and @5 over known items; a result counts on its own host only. */
export async function measure(items: KnownItem[], find: PagesFor): Promise<Measured> {
  const ranks: number[] = [];
  const times: number[] = [];
  for (const { query, pages, host } of items) {
    const begun = performance.now();
    const urls = (await find(query)).slice(0, 10).map((url) => new URL(url));
    times.push(performance.now() - begun);
    ranks.push(
      1 +
        urls.findIndex(
          (url) => (host === undefined || url.hostname === host) && pages.includes(url.pathname.slice(1)),
        ),
    );
  }
  const share = (passes: (rank: number) => boolean): number =>
    ranks.filter((rank) => rank > 0 && passes(rank)).length / ranks.length;
  return {
    mrr: ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length,
    success1: share((rank) => rank === 1),
    success5: share((rank) => rank <= 5),
    msMedian: times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0,
  };
}
