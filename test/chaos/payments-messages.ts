/** Between the simulation and the process that it kills. */
export type FromProcess =
  | { kind: 'listening'; url: string }
  /** A buyer was sent to this payment page. */
  | { kind: 'opened'; url: string }
  /** All was looked at once more; these purchases and holds are still open. */
  | { kind: 'finished'; open: string[] };

export type ToProcess = { kind: 'clock'; offset: number } | { kind: 'finish' };
