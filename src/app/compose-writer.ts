import type { Clock } from '../platform/clock.ts';
import { createNamedFetch } from '../platform/net/upstream-fetch.ts';
import type { Store } from '../platform/store/open-store.ts';
import type { TaskPool } from '../platform/threads/task-pool.ts';
import type { Writer } from '../writing/writer.ts';
import type { Config } from './config.ts';
import type { Teardown } from './teardown.ts';

type WriterParts = {
  store: Store;
  pool: Pick<TaskPool, 'run'>;
  clock: Clock;
  teardown: Pick<Teardown, 'add'>;
  forgettings: { onForgotten(drop: () => void): void };
};

/** Additional time for the connection to the model's server, which the deadline of a text ends earlier. */
const SLACK_MS = 1_000;
const CONNECT_MS = 3_000;

/** Composes what writes texts with the operator's model; null, and nothing is loaded, where none is set. */
export async function composeWriter(
  { writer: server, dnsServers, egress }: Pick<Config, 'writer' | 'dnsServers' | 'egress'>,
  { store, pool, clock, teardown, forgettings }: WriterParts,
): Promise<Writer | null> {
  if (server === null) return null;
  const [{ createWriter }, { createProveWorker }, { createTokenBudget }] = await Promise.all([
    import('../writing/writer.ts'),
    import('../writing/prove-worker.ts'),
    import('../writing/token-budget.ts'),
  ]);
  const longest = server.timeoutMs + SLACK_MS;
  // The operator's own address: private ones are allowed for it alone, and no redirect leaves it.
  const { fetch, close } = createNamedFetch({
    dnsServers,
    egress,
    limits: {
      timeoutMs: longest,
      connectMs: CONNECT_MS,
      headersMs: longest,
      idleMs: longest,
      perHostMax: server.callsAtOnce + 1,
      redirectsMax: 0,
    },
  });
  teardown.add(close);
  const writer = createWriter({
    server,
    fetch,
    prove: createProveWorker(pool),
    budget: createTokenBudget(store, clock, server.tokensPerDay),
    clock,
  });
  forgettings.onForgotten(writer.forget);
  return writer;
}
