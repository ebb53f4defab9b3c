import { parse as parseToml } from 'smol-toml';
import type { Dependency } from '../library-types.ts';
import { type Fields, type LockReader, toFields, toList, toText } from './lock-reader.ts';

/** https://doc.rust-lang.org/cargo/guide/cargo-toml-vs-cargo-lock.html; packages of the project itself have no source. */
export const CARGO_LOCK: LockReader = {
  ecosystem: 'crates',
  files: /^Cargo\.lock$/,
  read(text, beside) {
    const packages = toList(toFields(parseToml(text)).package).map(toFields);
    const manifest = beside('Cargo.toml');
    const stated =
      manifest === null ? new Map<string, StatedCrate>() : listStated(toFields(parseToml(manifest)));
    const asked = packages
      .filter(({ source }) => source === undefined)
      .flatMap(({ dependencies }) => toList(dependencies).map(String));
    const byName = Map.groupBy(packages, ({ name }) => String(name));
    return packages.flatMap((one) => {
      const [name, version, source] = [toText(one.name), toText(one.version), toText(one.source)];
      if (name === null || version === null || source === null || source.startsWith('git+')) return [];
      // The version is added to the name only where the lock file has several.
      const isOne = (byName.get(name)?.length ?? 0) === 1;
      const isDirect = asked.some(
        (of) => of === `${name} ${version}` || of.startsWith(`${name} ${version} `) || (isOne && of === name),
      );
      return [toDependency({ name, version, isDirect, isDev: isDirect && stated.get(name)?.isDev === true })];
    });
  },
};

/** Without a lock file the ranges decide. */
export const CARGO_TOML: LockReader = {
  ecosystem: 'crates',
  files: /^Cargo\.toml$/,
  read: (text) =>
    [...listStated(toFields(parseToml(text))).values()].map(({ name, range, isDev }) =>
      toDependency({ name, version: null, range, isDirect: true, isDev }),
    ),
};

const toDependency = ({
  name,
  version,
  range = null,
  isDirect,
  isDev,
}: Pick<Dependency, 'name' | 'version' | 'isDirect' | 'isDev'> & { range?: string | null }): Dependency => ({
  ecosystem: 'crates',
  name,
  version,
  range,
  isDirect,
  isDev,
});

type StatedCrate = { name: string; range: string | null; isDev: boolean };

/** Lists the crates of a manifest by their names in the registry. */
function listStated(manifest: Fields): Map<string, StatedCrate> {
  const found = new Map<string, StatedCrate>();
  const addTable = (table: unknown, isDev: boolean): void => {
    for (const [key, value] of Object.entries(toFields(table))) {
      const fields = toFields(value);
      if ('path' in fields || 'git' in fields) continue;
      const name = toText(fields.package) ?? key;
      const range = toText(value) ?? toText(fields.version);
      const known = found.get(name);
      found.set(name, { name, range: known?.range ?? range, isDev: (known?.isDev ?? true) && isDev });
    }
  };
  const tables = [manifest, ...Object.values(toFields(manifest.target)).map(toFields)];
  addTable(toFields(manifest.workspace).dependencies, false);
  for (const table of tables) {
    addTable(table.dependencies, false);
    addTable(table['build-dependencies'], true);
    addTable(table['dev-dependencies'], true);
  }
  return found;
}
