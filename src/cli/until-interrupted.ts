/** Under npm one Ctrl-C may reach the process twice; within this time it counts as one. */
const SAME_SIGNAL_MS = 1_000;

/** The signal aborts on the first Ctrl-C or SIGTERM, so that work can finish cleanly; the second one exits the process. */
export function untilInterrupted(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let since = 0;
  const interrupt = (): void => {
    if (controller.signal.aborted) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(130);
      return;
    }
    since = performance.now();
    process.stderr.write('\nStopping. Press Ctrl-C again to exit at once.\n');
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
