import type { CDPSession } from 'puppeteer-core';
import { SETTLING } from './render-limits.ts';

/** What the text of a page may depend on; the rest, such as pictures and streams, nobody waits for. */
const AWAITED = new Set(['Document', 'Script', 'Stylesheet', 'XHR', 'Fetch', 'Preflight']);
/** A page that makes more has no end. */
const REQUESTS_MAX = 3_000;

export type NetworkWatch = {
  /** How long nothing that counts has been under way, in milliseconds. */
  quietMs(): number;
  /** How many requests have begun. */
  begun(): number;
};

/** Watches the requests of a page. */
export async function watchNetwork(
  session: CDPSession,
  { now, onEndless }: { now: () => number; onEndless: () => void },
): Promise<NetworkWatch> {
  const open = new Map<string, number>();
  let last = now();
  let begun = 0;
  session.on('Network.requestWillBeSent', ({ requestId, type }) => {
    begun += 1;
    if (begun > REQUESTS_MAX) onEndless();
    else if (AWAITED.has(type ?? '')) open.set(requestId, now());
  });
  const ended = ({ requestId }: { requestId: string }): void => {
    if (open.delete(requestId)) last = now();
  };
  session.on('Network.loadingFinished', ended);
  session.on('Network.loadingFailed', ended);
  await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  return {
    begun: () => begun,
    quietMs() {
      const at = now();
      for (const [id, since] of open) if (at - since > SETTLING.requestMs) open.delete(id);
      return open.size > 0 ? 0 : at - last;
    },
  };
}
