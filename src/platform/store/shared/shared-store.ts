/** A small Lua script, which runs on the server as one step. */
export type SharedScript = { lua: string };

export type SharedArgument = string | number | Uint8Array;

/**
 * What processes share for speed: values with an end, and scripts that count. No call rejects or lasts longer than `CALL_MS_MAX`; null
 * means that the store did not answer, and the caller then does without it. Nothing that must not be lost is kept here.
 */
export type SharedStore = {
  /** The reply to a script; a reply that is not there is undefined. It is waited for no longer once the signal fires. */
  run(
    script: SharedScript,
    keys: readonly string[],
    args?: readonly SharedArgument[],
    signal?: AbortSignal,
  ): Promise<Reply | null>;
  /** Sends a message to every process that listens, this one included; lost where none can be reached. */
  publish(channel: string, message: string): void;
  /** Calls `listener` for each message that arrives. */
  listen(channel: string, listener: (message: string) => void): void;
  /** Whether the store answered when it was last asked. */
  isUp(): boolean;
  close(): Promise<void>;
};

/** What a script returned. */
export type Reply = { value: unknown };

/** A call that has no reply by then counts as unanswered. */
export const CALL_MS_MAX = 60;
