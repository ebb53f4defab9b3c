import { closeSync, openSync } from 'node:fs';

const CODES =
  /^ERR_(?:MODULE_NOT_FOUND|PACKAGE_PATH_NOT_EXPORTED|UNKNOWN_FILE_EXTENSION|INVALID_PACKAGE_\w+)$/;

/**
 * Returns true if a module cannot be loaded however often it is tried: a file or package is missing, or not JavaScript. Without a free
 * descriptor Node reports a package as missing too, so this asks for one.
 */
export function isFaultOfModule(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return (error instanceof SyntaxError || CODES.test(code)) && canOpenFiles();
}

function canOpenFiles(): boolean {
  try {
    closeSync(openSync(process.execPath, 'r'));
    return true;
  } catch {
    return false;
  }
}
