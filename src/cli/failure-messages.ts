import { ConfigError } from '../app/config.ts';
import { Failure, StoreUnavailable } from '../contract/errors.ts';
import { UnreadableFile } from '../crawl/import/collections/read-collection.ts';
import { UnusableRequest } from '../libraries/library-types.ts';

/** Messages for the system errors that users commonly meet. */
const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it may not be read or written by this user',
  EPERM: 'it may not be read or written by this user',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
};

/** Describes an error: one line if the user can fix it, the stack if it is a defect. */
export function describeError(error: unknown): string {
  if (error instanceof ConfigError) return error.message.replace(/^/gm, 'Setting ');
  if (error instanceof StoreUnavailable && error.cause instanceof Error)
    return `The store failed: ${error.cause.message}`;
  if (error instanceof Failure) {
    const cause = error.code === 'internal' && error.cause instanceof Error ? ` ${error.cause.message}` : '';
    return `${error.code}: ${error.message}${cause}`;
  }
  if (error instanceof UnreadableFile || error instanceof UnusableRequest) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const reason = REASONS[code ?? ''];
  if (reason !== undefined && path !== undefined) return `${path}: ${reason}.`;
  return code !== undefined && syscall !== undefined ? error.message : String(error.stack);
}

/** Exit code of a process ended by SIGPIPE, by shell convention. */
const CLOSED_PIPE = 141;

/**
 * Ends the process quietly when the reader of its output exits (`sanderling doctor | head`). Node ignores SIGPIPE, so the write fails
 * instead and would end the process with a stack trace. Stores survive this as they survive a kill.
 */
export function endOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(CLOSED_PIPE);
    });
}
