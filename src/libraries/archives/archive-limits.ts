/** Bounds of one archive. */
export type ArchiveLimits = {
  /** Maximum bytes of the archive as it is downloaded, and of everything that is unpacked from it. */
  packedBytesMax: number;
  unpackedBytesMax: number;
  filesMax: number;
  /** Maximum folders above a file, and characters of its path. */
  depthMax: number;
  pathCharsMax: number;
  /** Maximum bytes of one file, and of all files that are kept; larger files are passed over. */
  fileBytesMax: number;
  keptBytesMax: number;
};

export const ARCHIVE_LIMITS: ArchiveLimits = Object.freeze({
  packedBytesMax: 128 << 20,
  unpackedBytesMax: 1 << 30,
  filesMax: 50_000,
  depthMax: 40,
  pathCharsMax: 500,
  fileBytesMax: 5_000_000,
  keptBytesMax: 128 << 20,
});

/** An archive is hostile or damaged; the message names the archive, the entry and the rule that it breaks. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused';
}

/** An entry of an archive, before its content is read. A symbolic link is relative to its own folder, a hard link to the archive. */
type EntryHead = { path: string; isFile: boolean; link: { target: string; isHard: boolean } | null };

/** What a reader of archives asks before it takes an entry. */
type EntryGuard = {
  /** Returns the path of a file to consider, or null for an entry that is passed over. Throws ArchiveRefused. */
  admit(entry: EntryHead): string | null;
  /** Counts bytes as they are unpacked. Throws ArchiveRefused. */
  countUnpacked(bytes: number): void;
  refuse(reason: string): ArchiveRefused;
};

const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const NAME_CHARS_SHOWN = 80;

/**
 * Creates the checks of one archive. The whole archive is refused for a path that leaves it, a link that points out of it, a name with
 * control characters, and for whatever is beyond its bounds. Links within it are passed over: nothing follows them.
 */
export function createEntryGuard(name: string, limits: ArchiveLimits): EntryGuard {
  let entries = 0;
  let unpacked = 0;
  const refuse = (reason: string): ArchiveRefused => new ArchiveRefused(`${name} is refused: ${reason}`);
  return {
    refuse,
    admit({ path, isFile, link }) {
      entries += 1;
      if (entries > limits.filesMax) throw refuse(`it has more than ${limits.filesMax} files`);
      if (path.length > limits.pathCharsMax)
        throw refuse(`the path of ${quote(path)} is longer than ${limits.pathCharsMax} characters`);
      if (CONTROL_CHARACTERS.test(path)) throw refuse(`the name ${quote(path)} has control characters`);
      const segments = splitPath(path);
      if (segments === null) throw refuse(`the path ${quote(path)} leaves the archive`);
      if (segments.length - 1 > limits.depthMax)
        throw refuse(`${quote(path)} is more than ${limits.depthMax} folders deep`);
      const depth = link?.isHard ? 0 : Math.max(0, segments.length - 1);
      if (link !== null && leavesArchive(depth, link.target))
        throw refuse(`the link ${quote(path)} points out of the archive`);
      return isFile && segments.length > 0 ? segments.join('/') : null;
    },
    countUnpacked(bytes) {
      unpacked += bytes;
      if (unpacked > limits.unpackedBytesMax)
        throw refuse(`it unpacks to more than ${limits.unpackedBytesMax >> 20} MB`);
    },
  };
}

/** Splits a path into its segments; null if it is absolute, names a drive, or climbs above its start. */
function splitPath(path: string): string[] | null {
  const plain = path.replaceAll('\\', '/');
  if (plain.startsWith('/') || /^[a-z]:/i.test(plain)) return null;
  const segments: string[] = [];
  for (const segment of plain.split('/')) {
    if (segment === '..') return null;
    if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

/** Returns whether a link that starts `folders` deep points above the archive's top folder. */
function leavesArchive(folders: number, target: string): boolean {
  const plain = target.replaceAll('\\', '/');
  if (plain.startsWith('/') || /^[a-z]:/i.test(plain)) return true;
  let depth = folders;
  for (const segment of plain.split('/')) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** Quotes a name for a message, with everything that a terminal could act on as an escape. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, NAME_CHARS_SHOWN)).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A file of an archive; its path has no leading slash and no dots. */
export type ArchiveFile = { path: string; bytes: Uint8Array<ArrayBuffer> };

/** Where a reader of archives puts the files that are kept. */
export type ArchiveSink = {
  guard: EntryGuard;
  limits: ArchiveLimits;
  keeps: (path: string) => boolean;
  add(file: ArchiveFile): void;
};
