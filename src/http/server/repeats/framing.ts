import type { IncomingMessage } from 'node:http';

export const HEAD_END = '\r\n\r\n';

/** Follows where a connection's requests begin and end, as far as that is certain. */
export type Framing = {
  /** Whether the parser is between two requests: all that has come so far were whole ones, and at least one. */
  isBetween(): boolean;
  /** Called by the parser for each head that it has read. */
  began(request: IncomingMessage): void;
  /** Hands a part of what has arrived to the parser; returns whether the part was one whole request. */
  feed(part: Buffer, parse: (part: Buffer) => void): boolean;
};

/**
 * Counts what is fed to the parser beside it. What is not plainly framed (chunks, several requests in a part, a request that begins
 * within one) makes the place unknown for good: then nothing but the parser may read the connection.
 */
export function createFraming(): Framing {
  /** Bytes of the current request that are still to come; null: unknown. */
  let left: number | null = 0;
  let current: IncomingMessage | null = null;
  let begun = 0;
  return {
    isBetween: () => left === 0 && current !== null,
    began(request) {
      current = request;
      begun += 1;
    },
    feed(part, parse) {
      const before = left;
      begun = 0;
      parse(part);
      if (before === null) return false;
      if (before > 0) left = begun === 0 && part.length <= before ? before - part.length : null;
      else left = begun === 1 && current !== null ? leftOf(current, part) : null;
      // The parser has the last word.
      if (left === 0 && !current?.complete) left = null;
      return before === 0 && left === 0;
    },
  };
}

/** Bytes of a request that follow the part in which it began; null if that is not plain. */
function leftOf({ headers }: IncomingMessage, part: Buffer): number | null {
  const headEnd = part.indexOf(HEAD_END);
  const length = Number(headers['content-length'] ?? 0);
  if (headEnd === -1 || headers['transfer-encoding'] !== undefined || !Number.isSafeInteger(length))
    return null;
  const left = headEnd + HEAD_END.length + length - part.length;
  return left >= 0 ? left : null;
}
