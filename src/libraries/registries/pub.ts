import { toFields, toList, toText } from '../projects/lock-reader.ts';
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

/** https://github.com/dart-lang/pub/blob/master/doc/repository-spec-v2.md */
export function createPubRegistry(requests: RegistryRequests, place: RegistryPlace): Registry {
  const { authorization, base, isPublic } = place;
  return {
    async resolve({ name, range }, signal) {
      const url = `${base}/api/packages/${name}`;
      const answer = toFields(await getJson(requests, { url, authorization, signal }));
      const versions = toList(answer.versions).map(toFields);
      const numbers = versions.flatMap(({ version }) => toText(version) ?? []);
      const version = chooseSemver(numbers, range);
      const release = versions.find((one) => one.version === version);
      if (version === null || release === undefined)
        throw new LibraryMissing(`pub.dev has no ${name} ${range ?? ''}`.trim());
      const { homepage, repository, documentation } = toFields(release.pubspec);
      const archive = toWebPage(release.archive_url);
      return {
        ecosystem: 'pub',
        name,
        version,
        licence: null,
        homepage: toWebPage(homepage),
        repository: toRepository(repository) ?? toRepository(homepage),
        repositoryFolder: null,
        documentation: toWebPage(documentation) ?? toWebPage(homepage),
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
