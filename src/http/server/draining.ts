/** State of a graceful shutdown, and the signal for running calls to finish. */
export type Draining = {
  isOn(): boolean;
  begin(): void;
  /** Fires when running calls must finish within half a second. */
  readonly lastCall: AbortSignal;
  callLast(): void;
};

export function createDraining(): Draining {
  let on = false;
  const last = new AbortController();
  return {
    isOn: () => on,
    begin() {
      on = true;
    },
    lastCall: last.signal,
    callLast: () => last.abort(),
  };
}
