/** The one path of the router behind which all addresses of the reader stand. */
export const READER_PATH = '/r';

/**
 * The request target as it came -> what the router sees: repeated slashes are one, one slash at the end is nothing,
 * and every `/r/<address>` is `/r`, because an address is not a path and the router must not decode it.
 */
export function normaliseTarget(target: string): string {
  const local = localTarget(target);
  if (readerAddress(local) !== null) return READER_PATH;
  const mark = local.indexOf('?');
  const path = mark === -1 ? local : local.slice(0, mark);
  const single = path.replace(/\/{2,}/g, '/');
  const routed = single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
  return decodable(routed) + (mark === -1 ? '' : local.slice(mark));
}

/** A path with a broken escape is no route; kept as text, so that it is answered like every other unknown route. */
function decodable(path: string): string {
  try {
    decodeURIComponent(path);
    return path;
  } catch (error) {
    if (error instanceof URIError) return path.replaceAll('%', '%25');
    throw error;
  }
}

/** What stands behind `/r/` in a request target, untouched; null when it is not one of the reader. */
export function readerAddress(target: string): string | null {
  return /^\/+r(?:\/+(.*))?$/s.exec(localTarget(target))?.[1] ?? (isBareReader(target) ? '' : null);
}

const isBareReader = (target: string): boolean => /^\/+r\/*(?:\?.*)?$/s.test(localTarget(target));

/** A client that believes it speaks to a proxy sends `http://host/path`: the host is ours. */
function localTarget(target: string): string {
  if (target.startsWith('/')) return target;
  const local = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return local.startsWith('/') ? local : `/${local}`;
}
