import { toFields, toText } from '../projects/lock-reader.ts';
import { chooseSemver } from './choose-version.ts';
import {
  chooseAuthorization,
  getJson,
  getText,
  LibraryMissing,
  type Registry,
  type RegistryPlace,
  type RegistryRequests,
} from './registry-types.ts';

/** https://doc.rust-lang.org/cargo/reference/registry-index.html, by its sparse protocol. Licence and addresses are in the crate. */
export function createCratesRegistry(requests: RegistryRequests, place: RegistryPlace): Registry {
  const { authorization, base } = place;
  return {
    async resolve({ name, range }, signal) {
      const list = await getText(requests, { url: `${base}/${buildIndexPath(name)}`, authorization, signal });
      if (list === null) throw new LibraryMissing(`crates.io has no ${name}`);
      const versions = list.split('\n').flatMap((line) => {
        if (line.trim() === '') return [];
        const { vers, yanked } = toFields(JSON.parse(line));
        const version = toText(vers);
        // A lock file may name a version that was withdrawn since.
        return version === null || (yanked === true && version !== range) ? [] : [version];
      });
      // A bare requirement means compatible versions.
      const wanted =
        range !== null && /^\d/.test(range) ? `^${range}` : (range?.replaceAll(',', ' ') ?? null);
      const version = versions.find((one) => one === range) ?? chooseSemver(versions, wanted);
      if (version === null) throw new LibraryMissing(`crates.io has no ${name} ${range ?? ''}`.trim());
      const config = toFields(await getJson(requests, { url: `${base}/config.json`, authorization, signal }));
      const url = buildDownload(toText(config.dl) ?? `${base}/api/v1/crates`, name, version);
      return {
        ecosystem: 'crates',
        name,
        version,
        licence: null,
        homepage: null,
        repository: null,
        repositoryFolder: null,
        documentation: null,
        archives: [{ kind: 'package', url, authorization: chooseAuthorization(url, place) }],
        description: null,
        isPrivate: !place.isPublic,
      };
    },
  };
}

/** `serde` -> `se/rd/serde`. */
function buildIndexPath(name: string): string {
  const lower = name.toLowerCase();
  if (lower.length < 3) return `${lower.length}/${lower}`;
  if (lower.length === 3) return `3/${lower[0]}/${lower}`;
  return `${lower.slice(0, 2)}/${lower.slice(2, 4)}/${lower}`;
}

/** Fills the template of a download, or appends to it what it lacks. */
function buildDownload(template: string, name: string, version: string): string {
  if (!/\{(?:crate|version|prefix|lowerprefix)\}/.test(template))
    return `${template.replace(/\/$/, '')}/${name}/${version}/download`;
  const folders = buildIndexPath(name).split('/').slice(0, -1).join('/');
  return template
    .replaceAll('{crate}', name)
    .replaceAll('{version}', version)
    .replaceAll('{prefix}', folders)
    .replaceAll('{lowerprefix}', folders);
}
