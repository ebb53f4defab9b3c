import type { Dependency, Ecosystem } from '../library-types.ts';

/** Reads a file beside the lock file; null if there is none. */
export type ReadBeside = (name: string) => string | null;

/** A file that states the dependencies of a project. */
export type LockReader = {
  ecosystem: Ecosystem;
  /** Matches the names of its files. */
  files: Pick<RegExp, 'test'>;
  /** Throws if the file is damaged. */
  read(text: string, beside: ReadBeside, name: string): Dependency[];
};

/** A JSON, TOML or YAML mapping whose fields are still to be checked. */
export type Fields = Record<string, unknown>;

export function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Maximum length of a line that is read, far above what any lock file has; expressions over lines rely on it. */
const LINE_CHARS_MAX = 2_000;

/** Splits a file into its lines, without those that are too long to be of any use. */
export const splitLines = (text: string): string[] =>
  text.split(/\r?\n/).filter((line) => line.length <= LINE_CHARS_MAX);

export const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const toText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** Parses a sibling file of JSON; no fields if it is absent or damaged. */
export function readJsonBeside(beside: ReadBeside, name: string): Fields {
  const text = beside(name);
  if (text === null) return {};
  try {
    return toFields(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
