/** Messages between the simulation and the process it kills. */
export type FromProcess =
  | { kind: 'listening'; url: string }
  /** A checkout was opened at this payment page. */
  | { kind: 'opened'; url: string }
  /** Everything has been reconciled; these purchases and holds are still open. */
  | { kind: 'finished'; open: string[] };

export type ToProcess = { kind: 'clock'; offset: number } | { kind: 'finish' };
