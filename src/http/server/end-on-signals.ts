import type { Log } from '../../platform/log.ts';
import type { RunningServer } from './listen.ts';

/** Time limit of a shutdown; then the process exits, whatever is still running. */
const EXIT_MS = 9_500;
/** Under npm, one Ctrl-C reaches the process twice; signals this close together count as one. */
const SAME_SIGNAL_MS = 1_000;

/** Shuts down gracefully on SIGTERM and SIGINT; a second signal exits at once. */
export function endOnSignals(deps: { listening: RunningServer; log: Log; close(): Promise<void> }): void {
  let since: number | null = null;
  const end = async (why: string, exitCode: number): Promise<void> => {
    if (since !== null) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    since = performance.now();
    setTimeout(() => process.exit(1), EXIT_MS);
    deps.log.info({ why }, 'draining');
    await deps.listening.drain();
    await deps.close();
    deps.log.info('ended');
    process.exit(exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => void end(signal, 0).catch((err: unknown) => fail(deps.log, err)));
  process.on('uncaughtException', (err) => {
    deps.log.fatal({ err }, 'uncaught exception');
    void end('uncaught exception', 1).catch((failure: unknown) => fail(deps.log, failure));
  });
}

function fail(log: Log, err: unknown): never {
  log.fatal({ err }, 'graceful shutdown failed');
  process.exit(1);
}
