import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Lines below warning level are written in batches of this many characters, or after this time. A crash can lose one batch. */
const BATCH_CHARS = 8_192;
const BATCH_MS = 100;

/**
 * Logs one JSON line per event to standard error; standard output is for results of the command line. Warnings and errors are
 * written at once, together with the lines before them; other lines are written in batches, and when the process exits.
 */
export function createLog(level: LogLevel, to: DestinationStream = openStandardError()): Log {
  const serializers = { err: serializeError };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, to);
}

/** Level of warnings: https://getpino.io/#/docs/api?id=loggerlevels-object */
const WARN = 40;
let shared: DestinationStream | null = null;

/** Returns the one stream of the process; two would write out of order. */
function openStandardError(): DestinationStream {
  shared ??= createBatchingStream(pino.destination({ fd: 2, sync: true }));
  return shared;
}

/** Pino sets `lastLevel` on such a stream before each write: https://getpino.io/#/docs/api?id=pino-metadata */
type LeveledStream = DestinationStream & { [pino.symbols.needsMetadataGsym]: true; lastLevel: number };

/** Batches lines. Flushes on a warning, when the batch is full, after BATCH_MS, and when the process exits. */
export function createBatchingStream(file: DestinationStream): DestinationStream {
  let lines = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (lines === '') return;
    const batch = lines;
    lines = '';
    file.write(batch);
  };
  process.once('exit', flush);
  const stream: LeveledStream = {
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line) {
      lines += line;
      if (stream.lastLevel >= WARN || lines.length >= BATCH_CHARS) flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    },
  };
  return stream;
}

/** Drops other properties of errors, which may hold input such as an address that could not be parsed. */
function serializeError(error: Error): Record<string, unknown> {
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, stack, ...(code === undefined ? {} : { code }) };
}
