/** Time within which repeated signals count as one, because under npm one Ctrl-C may reach the process twice. */
const SAME_SIGNAL_MS = 1_000;

/** Exit codes of a process ended by a signal, by shell convention. */
const EXIT_CODES: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Returns a signal that aborts on the first Ctrl-C or SIGTERM, so that work can finish cleanly; the second one exits the process. Either
 * way the process exits with 130 or 143.
 */
export function watchInterruption(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let since = 0;
  const interrupt = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit();
      return;
    }
    since = performance.now();
    process.stderr.write('\nStopping. Press Ctrl-C again to exit at once.\n');
    process.once('exit', () => {
      process.exitCode = EXIT_CODES[name] ?? 1;
    });
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return {
    signal: controller.signal,
    stop() {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
    },
  };
}
