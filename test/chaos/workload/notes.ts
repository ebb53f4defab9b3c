/** What a caller was told, noted the moment it was told: from then on it must hold, whatever is killed. */
export type Note =
  /** The call was answered, and of its credits so many are kept: 0 unless it was a success. */
  | { kind: 'call'; id: string; kept: number; how: string }
  | { kind: 'grant'; keyId: string; ref: string }
  /** The connection ended before an answer: the call may have been charged or not. */
  | { kind: 'unknown'; how: string };

/** The keys that everybody calls with: one that all share, many, and some that soon have nothing left. */
export type Keys = { hot: string; many: string[] };

/** Half of the calls meet on one key. */
export function drawKey({ hot, many }: Keys): string {
  return Math.random() < 0.5 ? hot : (many[Math.floor(Math.random() * many.length)] ?? hot);
}
