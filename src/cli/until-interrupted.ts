/** A signal that fires on the first Ctrl-C or SIGTERM, so that work ends in good order; the second ends the process. */
export function untilInterrupted(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
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
