import { hostKey } from '../../text/urls/sites.ts';
import type { Frontier, FrontierRow } from '../frontier/frontier-types.ts';

type DueQueues = Pick<Frontier, 'hosts' | 'peek' | 'take' | 'putBack'> & {
  /** Addresses that were not visited. */
  left(): string[];
};

/** Addresses by host, in their order, in memory: what is not visited is still due in the index. */
export function createDueQueues(urls: string[]): DueQueues {
  const queues = new Map<string, FrontierRow[]>();
  for (const [id, url] of urls.entries()) {
    const host = hostKey(url);
    const queue = queues.get(host) ?? [];
    queues.set(host, queue);
    queue.push({ id, url, host, depth: 0, attempts: 0, not_before: 0 });
  }
  return {
    hosts: () => [...queues.keys()],
    peek: async (host) => queues.get(host)?.[0] ?? null,
    take({ host }) {
      const queue = queues.get(host) ?? [];
      queue.shift();
      if (queue.length === 0) queues.delete(host);
    },
    putBack(row) {
      queues.set(row.host, [row, ...(queues.get(row.host) ?? [])]);
    },
    left: () => [...queues.values()].flat().map(({ url }) => url),
  };
}
