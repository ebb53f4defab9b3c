import { Failure } from '../../contract/errors.ts';
import type { Metrics, MetricsText } from '../../platform/metrics.ts';
import type { MessageFromWorker, MessageToWorker } from './gather-readings.ts';

/** The channel from a worker process to the primary: `process`. */
type Channel = Pick<NodeJS.Process, 'send' | 'on'>;

/** Timeout for the gathered metrics; the primary waits 2.5 s for workers that hang. */
const GATHERED_MS = 5_000;
const LAST_WORDS_MS = 500;

/** The metrics of all workers of this server, for one of them. */
export type CombinedMetrics = Pick<Metrics, 'text'> & {
  /** Sends the readings of this process before it ends. */
  end(): Promise<void>;
};

/** Sends this worker's readings on request. `text` rejects with Failure if the primary does not answer. */
export function shareMetrics(
  metrics: Pick<Metrics, 'readings'>,
  channel: Channel = process,
): CombinedMetrics {
  const tell = async (): Promise<void> => send(channel, { readings: await metrics.readings() });
  let waiting: PromiseWithResolvers<MetricsText> | null = null;
  channel.on('message', (message: MessageToWorker) => {
    if ('wantsReadings' in message) void tell();
    else waiting?.resolve(message.metrics);
  });
  return {
    async text() {
      if (waiting !== null) return waiting.promise;
      const asked = Promise.withResolvers<MetricsText>();
      waiting = asked;
      const late = new Failure('overloaded', 'The metrics of all workers are not at hand.');
      const timer = setTimeout(() => asked.reject(late), GATHERED_MS);
      void send(channel, { wantsMetrics: true });
      try {
        return await asked.promise;
      } finally {
        clearTimeout(timer);
        waiting = null;
      }
    },
    async end() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_WORDS_MS).unref());
      await Promise.race([tell(), late]);
    },
  };
}

/** Sends a message. Resolves once it is sent, or cannot be because the other end is gone. */
const send = (channel: Channel, message: MessageFromWorker): Promise<void> =>
  new Promise((resolve) => {
    if (channel.send === undefined) resolve();
    else channel.send(message, undefined, undefined, () => resolve());
  });
