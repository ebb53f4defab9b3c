import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One JSON line per event on standard error, so that standard output stays free for answers of the command line. */
export function createLog(level: LogLevel, to: DestinationStream = standardError()): Log {
  const serializers = { err: withoutDetails };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, to);
}

const standardError = (): DestinationStream => pino.destination({ fd: 2, sync: true });

/** Other properties of errors hold what was worked on, such as the address that could not be parsed. */
function withoutDetails(error: Error): Record<string, unknown> {
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, stack, ...(code === undefined ? {} : { code }) };
}
