/** A Ctrl-C may reach the process twice when npm stands in between; it is one wish all the same. */
const SAME_SIGNAL_MS = 1_000;

/** A signal that fires on the first Ctrl-C or SIGTERM, so that work ends in good order; the second ends the process. */
export function untilInterrupted(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let since = 0;
  const interrupt = (): void => {
    if (controller.signal.aborted) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(130);
      return;
    }
    since = performance.now();
    process.stderr.write('\nEnding; press Ctrl-C again to end at once.\n');
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
