/** The result of a call, noted when the caller got it. From then on it must hold, whichever processes are killed. */
export type Note =
  /** The call was answered and charged `kept` credits, 0 unless it succeeded. */
  | { kind: 'call'; id: string; kept: number; how: string }
  | { kind: 'grant'; keyId: string; ref: string }
  /** The connection closed before a response, so the call may or may not have been charged. */
  | { kind: 'unknown'; how: string };

/** The keys in use: one shared by all callers and many others, some of which soon run out of credits. */
export type Keys = { hot: string; many: string[] };

/** Half of the calls use the shared key. */
export function drawKey({ hot, many }: Keys): string {
  return Math.random() < 0.5 ? hot : (many[Math.floor(Math.random() * many.length)] ?? hot);
}
