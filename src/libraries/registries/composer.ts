import { type Fields, toFields, toList, toText } from '../projects/lock-reader.ts';
import { chooseSemver } from './choose-version.ts';
import {
  chooseAuthorization,
  getJson,
  LibraryMissing,
  type Registry,
  type RegistryPlace,
  type RegistryRequests,
} from './registry-types.ts';
import { toRepository, toWebPage } from './web-addresses.ts';

/** Marks a field that a version lacks, although the one before it in the list has it. */
const UNSET = '__unset';

/** https://repo.packagist.org/p2/ (https://packagist.org/apidoc#get-package-data) */
export function createComposerRegistry(requests: RegistryRequests, place: RegistryPlace): Registry {
  const { authorization, base, isPublic } = place;
  return {
    async resolve({ name, range }, signal) {
      const url = `${base}/p2/${name.toLowerCase()}.json`;
      const answer = toFields(await getJson(requests, { url, authorization, signal }));
      const versions = new Map(
        expandVersions(toList(toFields(answer.packages)[name.toLowerCase()])).map((one) => [
          (toText(one.version) ?? '').replace(/^v/, ''),
          one,
        ]),
      );
      const wanted = range?.replaceAll(',', ' ').replaceAll(/(?<!\|)\|(?!\|)/g, '||') ?? null;
      const version = chooseSemver([...versions.keys()], wanted);
      const release = versions.get(version ?? '');
      if (version === null || release === undefined)
        throw new LibraryMissing(`Packagist has no ${name} ${range ?? ''}`.trim());
      const homepage = toWebPage(release.homepage);
      const archive = toWebPage(toFields(release.dist).url);
      return {
        ecosystem: 'composer',
        name,
        version,
        licence: toList(release.license).map(String).join(' OR ') || null,
        homepage,
        repository: toRepository(toFields(release.source).url),
        repositoryFolder: null,
        documentation: toWebPage(toFields(release.support).docs) ?? homepage,
        archives:
          archive === null
            ? []
            : [{ kind: 'package', url: archive, authorization: chooseAuthorization(archive, place) }],
        description: null,
        isPrivate: !isPublic,
      };
    },
  };
}

/** Each entry states only what differs from the one before it. */
function expandVersions(list: readonly unknown[]): Fields[] {
  const expanded: Fields[] = [];
  let last: Fields = {};
  for (const entry of list) {
    last = { ...last, ...toFields(entry) };
    for (const [name, value] of Object.entries(last)) if (value === UNSET) delete last[name];
    expanded.push(last);
  }
  return expanded;
}
