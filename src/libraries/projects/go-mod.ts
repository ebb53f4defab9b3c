import type { Dependency } from '../library-types.ts';
import { type LockReader, splitLines } from './lock-reader.ts';

/** https://go.dev/ref/mod#go-mod-file: versions are exact, and what is only indirect is marked. */
export const GO_MOD: LockReader = {
  ecosystem: 'go',
  files: /^go\.mod$/,
  read: (text) => readModules(text),
};

/** The sums name every version that was ever considered; the file beside them says which are used. */
export const GO_SUM: LockReader = {
  ecosystem: 'go',
  files: /^go\.sum$/,
  read(_text, beside) {
    const modules = beside('go.mod');
    if (modules === null) throw new Error('there is no go.mod beside it');
    return readModules(modules);
  },
};

function readModules(text: string): Dependency[] {
  const found = new Map<string, Dependency>();
  const replaced = new Map<string, { name: string; version: string } | null>();
  let block: string | null = null;
  for (const line of splitLines(text)) {
    const isIndirect = /\/\/\s*indirect\b/.test(line);
    const [code = ''] = line.split('//', 1);
    const words = code.trim().split(/\s+/);
    if (words[0] === ')') block = null;
    else if (words[1] === '(') block = words[0] ?? null;
    else {
      const [verb, ...rest] = block === null ? words : [block, ...words];
      if (verb === 'require') addRequirement(rest, isIndirect);
      if (verb === 'replace') addReplacement(rest);
    }
  }
  return [...found.values()].flatMap((dependency) => {
    const other = replaced.get(dependency.name);
    return other === null ? [] : [other === undefined ? dependency : { ...dependency, ...other }];
  });

  function addRequirement([name = '', version = '']: string[], isIndirect: boolean): void {
    if (!/^v\d/.test(version)) return;
    const isDirect = !isIndirect;
    found.set(name, { ecosystem: 'go', name, version, range: null, isDirect, isDev: false });
  }

  /** A module that is replaced by a folder has no documentation elsewhere. */
  function addReplacement(words: string[]): void {
    const at = words.indexOf('=>');
    const [from = '', name = '', version] = [words[0], words[at + 1], words[at + 2]];
    if (at > 0) replaced.set(from, version === undefined ? null : { name, version });
  }
}
