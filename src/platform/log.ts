import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Logs one JSON line per event to standard error; standard output is for results of the command line. */
export function createLog(level: LogLevel, to: DestinationStream = standardError()): Log {
  const serializers = { err: withoutDetails };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, to);
}

const standardError = (): DestinationStream => pino.destination({ fd: 2, sync: true });

/** Drops other properties of errors, which hold input such as an address that could not be parsed. */
function withoutDetails(error: Error): Record<string, unknown> {
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, stack, ...(code === undefined ? {} : { code }) };
}
