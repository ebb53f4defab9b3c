/** A small Lua script, which the server runs atomically. */
export type SharedScript = { lua: string };

export type SharedArgument = string | number | Uint8Array;

/**
 * A store that processes share for speed: values that expire, and scripts that count. No call rejects or lasts longer than `CALL_MS_MAX`;
 * null means that the store did not answer, and the caller does without it. Data that must not be lost is not kept here.
 */
export type SharedStore = {
  /** Runs a script; the value of a missing reply is undefined. Stops waiting once the signal fires. */
  run(
    script: SharedScript,
    keys: readonly string[],
    args?: readonly SharedArgument[],
    signal?: AbortSignal,
  ): Promise<Reply | null>;
  /** Sends a message to every process that listens, including this one; it is lost if the server cannot be reached. */
  publish(channel: string, message: string): void;
  /** Calls `listener` for each message that arrives. */
  listen(channel: string, listener: (message: string) => void): void;
  /** Returns whether the store answered its last call. */
  isUp(): boolean;
  close(): Promise<void>;
};

/** The result of a script. */
export type Reply = { value: unknown };

/** Time limit of a call; without a reply by then it counts as unanswered. */
export const CALL_MS_MAX = 60;
