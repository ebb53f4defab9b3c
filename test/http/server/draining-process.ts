import { createServer } from 'node:http';
import { createApp } from '../../../src/http/server/app.ts';
import { createDraining, endOnSignals, listen } from '../../../src/http/server/connections.ts';
import { createLog } from '../../../src/platform/log.ts';
import { searchAnswer } from '../../harness.ts';
import { unscriptedDeps } from '../../unscripted.ts';

/** A serving process for draining.test.ts: searches wait for the message `go`, one for `stuck` waits for ever. */
const go = Promise.withResolvers<void>();
process.on('message', () => go.resolve());
process.channel?.unref();

const log = createLog('silent');
const draining = createDraining();
const app = await createApp({
  ...unscriptedDeps(),
  search: async ({ query }) => {
    process.send?.('searching');
    await (query === 'stuck' ? new Promise(() => {}) : go.promise);
    return searchAnswer();
  },
  draining,
  log,
});
const { IDLE_GRACE_MS } = process.env;
const listening = await listen(app, {
  host: '127.0.0.1',
  port: 0,
  draining,
  ...(IDLE_GRACE_MS === undefined ? {} : { idleGraceMs: Number(IDLE_GRACE_MS) }),
});
// Something of the process that would keep it alive until it is closed.
const part = createServer().listen(0, '127.0.0.1');
endOnSignals({
  listening,
  log,
  close: async () => {
    part.close();
  },
});
process.send?.(listening.address);
