import { ConfigError } from '../app/config.ts';
import { Failure, StoreUnavailable } from '../contract/errors.ts';
import { UnreadableFile } from '../crawl/import/collections/read-collection.ts';

/** The system's reasons that users meet, in words. */
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

/** One line for what the user can fix; the stack for a defect. */
export function describeError(error: unknown): string {
  if (error instanceof ConfigError) return error.message.replace(/^/gm, 'Setting ');
  if (error instanceof StoreUnavailable && error.cause instanceof Error)
    return `The store failed: ${error.cause.message}`;
  if (error instanceof Failure) return `${error.code}: ${error.message}`;
  if (error instanceof UnreadableFile) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const reason = REASONS[code ?? ''];
  if (reason !== undefined && path !== undefined) return `${path}: ${reason}.`;
  return code !== undefined && syscall !== undefined ? error.message : String(error.stack);
}

/** The exit code of a program that SIGPIPE ended, by the convention of shells. */
const CLOSED_PIPE = 141;

/**
 * Ends the process quietly when the reader of its output leaves (`sanderling doctor | head`): nobody would see the rest. Node ignores
 * SIGPIPE, so that the write fails instead and would end the process with a stack. Stores survive this as they survive a kill.
 */
export function endOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(CLOSED_PIPE);
    });
}
