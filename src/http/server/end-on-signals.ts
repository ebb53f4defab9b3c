import type { Log } from '../../platform/log.ts';
import type { Listening } from './listen.ts';

/** However the parts behave, the process is gone by then. */
const EXIT_MS = 9_500;
/** A Ctrl-C reaches the process twice when npm stands in between; it is one wish all the same. */
const SAME_SIGNAL_MS = 1_000;

/** Ends the process in good order on SIGTERM and SIGINT; a second signal ends it at once. */
export function endOnSignals(parts: { listening: Listening; log: Log; close(): Promise<void> }): void {
  let since: number | null = null;
  const end = async (why: string, exitCode: number): Promise<void> => {
    if (since !== null) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    since = performance.now();
    setTimeout(() => process.exit(1), EXIT_MS);
    parts.log.info({ why }, 'draining');
    await parts.listening.drain();
    await parts.close();
    parts.log.info('ended');
    process.exit(exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => void end(signal, 0).catch((err: unknown) => fail(parts.log, err)));
  process.on('uncaughtException', (err) => {
    parts.log.fatal({ err }, 'uncaught exception');
    void end('uncaught exception', 1).catch((failure: unknown) => fail(parts.log, failure));
  });
}

function fail(log: Log, err: unknown): never {
  log.fatal({ err }, 'could not end in good order');
  process.exit(1);
}
