/** Whether the process is on its way out, and the word to calls under way that their time is over. */
export type Draining = {
  isOn(): boolean;
  begin(): void;
  /** Fires when calls under way must end within half a second. */
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
