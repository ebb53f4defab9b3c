/** What a crawl asks for, as the processes that help with it are told. */
export type SpreadOrder = {
  starts: string[];
  pagesMax: number;
  depthMax: number | null;
  withinPath: boolean;
  hostsMax?: number | undefined;
  hostUrlsMax?: number | undefined;
  fresh: boolean;
  delayMs: number | null;
};

/** An order as JSON. */
export function orderText(order: SpreadOrder): string {
  const { starts, pagesMax, depthMax, withinPath, hostsMax, hostUrlsMax, fresh, delayMs } = order;
  return JSON.stringify({ starts, pagesMax, depthMax, withinPath, hostsMax, hostUrlsMax, fresh, delayMs });
}

/** What `orderText` wrote. */
export const orderOf = (text: string): SpreadOrder => JSON.parse(text) as SpreadOrder;
