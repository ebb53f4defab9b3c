import { parse as parseToml } from 'smol-toml';
import type { ArchiveFile } from '../archives/archive-limits.ts';
import { toFields, toText } from '../projects/lock-reader.ts';
import type { Release } from '../registries/registry-types.ts';
import { toRepository, toWebPage } from '../registries/web-addresses.ts';

/** Words by which a licence text is told; the first that fits counts. */
const LICENCE_TEXTS: readonly [RegExp, string][] = [
  [/Apache License\s+Version 2\.0/i, 'Apache-2.0'],
  [/Mozilla Public License,? (?:Version|v\.?) ?2\.0/i, 'MPL-2.0'],
  [/Permission is hereby granted, free of charge/i, 'MIT'],
  [/Permission to use, copy, modify, and(?:\/or)? distribute this software/i, 'ISC'],
  [/(?:Neither the name|nor the names) /i, 'BSD-3-Clause'],
  [/Redistribution and use in source and binary forms/i, 'BSD-2-Clause'],
  [/This is free and unencumbered software/i, 'Unlicense'],
];
const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:[-_.](?:mit|apache|txt|md|rst))*$/i;
const TEXT_CHARS_MAX = 20_000;

/** Returns whether a file is needed to complete a release. */
export const completesRelease = (path: string): boolean =>
  LICENCE_FILE.test(path) ||
  /^(?:Cargo\.toml|PKG-INFO)$/.test(path) ||
  /^[^/]+\.dist-info\/METADATA$/.test(path);

/** Pure: adds what only the archive says: licence, addresses and, for a wheel, the description. */
export function completeRelease(release: Release, files: readonly ArchiveFile[]): Release {
  const stated =
    release.ecosystem === 'crates'
      ? readCargo(files)
      : release.ecosystem === 'pypi'
        ? readMetadata(files)
        : {};
  const licence = release.licence ?? stated.licence ?? findLicence(files);
  return {
    ...release,
    licence,
    homepage: release.homepage ?? stated.homepage ?? null,
    repository: release.repository ?? stated.repository ?? null,
    documentation: release.documentation ?? stated.documentation ?? null,
    description: release.description ?? stated.description ?? null,
  };
}

type StatedFacts = Partial<
  Pick<Release, 'licence' | 'homepage' | 'repository' | 'documentation' | 'description'>
>;

const findText = (files: readonly ArchiveFile[], pattern: RegExp): string | null => {
  const file = files.find(({ path }) => pattern.test(path));
  return file === undefined ? null : Buffer.from(file.bytes).toString('utf8');
};

function readCargo(files: readonly ArchiveFile[]): StatedFacts {
  const text = findText(files, /^Cargo\.toml$/);
  if (text === null) return {};
  try {
    const stated = toFields(toFields(parseToml(text)).package);
    return {
      licence: toText(stated.license),
      homepage: toWebPage(stated.homepage),
      repository: toRepository(stated.repository),
      documentation: toWebPage(stated.documentation),
    };
  } catch {
    // A manifest that cannot be read states nothing; the rest of the crate still counts.
    return {};
  }
}

/** https://packaging.python.org/en/latest/specifications/core-metadata/: fields, a blank line, the description. */
function readMetadata(files: readonly ArchiveFile[]): StatedFacts {
  const text = findText(files, /^(?:PKG-INFO|[^/]+\.dist-info\/METADATA)$/);
  if (text === null) return {};
  const [head = '', ...rest] = text.replaceAll('\r\n', '\n').split('\n\n');
  const pick = (name: string): string | null =>
    head
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
      .trim() ?? null;
  const links = head.split('\n').filter((line) => line.startsWith('Project-URL: '));
  const findLink = (label: RegExp): string | null =>
    links
      .find((line) => label.test(line))
      ?.split(', ')
      .slice(1)
      .join(', ') ?? null;
  const description = rest.join('\n\n').trim();
  const licence = pick('License-Expression') ?? pick('License');
  return {
    licence: licence === 'UNKNOWN' ? null : licence,
    homepage: toWebPage(pick('Home-page')),
    repository: toRepository(findLink(/source|repo|code|github/i)),
    documentation: toWebPage(findLink(/doc/i)),
    description:
      description === ''
        ? null
        : { text: description, contentType: pick('Description-Content-Type') ?? 'text/x-rst' },
  };
}

function findLicence(files: readonly ArchiveFile[]): string | null {
  const text = findText(files, LICENCE_FILE)?.slice(0, TEXT_CHARS_MAX).replaceAll(/\s+/g, ' ') ?? '';
  return LICENCE_TEXTS.find(([words]) => words.test(text))?.[1] ?? null;
}
