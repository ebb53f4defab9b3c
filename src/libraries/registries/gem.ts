import { toFields, toList, toText } from '../projects/lock-reader.ts';
import { chooseSemver, convertPessimistic } from './choose-version.ts';
import {
  getJson,
  LibraryMissing,
  type Registry,
  type RegistryPlace,
  type RegistryRequests,
} from './registry-types.ts';
import { toRepository, toWebPage } from './web-addresses.ts';

/** https://guides.rubygems.org/rubygems-org-api/ and its second version */
export function createGemRegistry(requests: RegistryRequests, place: RegistryPlace): Registry {
  const { authorization, base, isPublic } = place;
  return {
    async resolve({ name, range }, signal) {
      const version = await chooseVersion(name, range, signal);
      const url = `${base}/api/v2/rubygems/${name}/versions/${version}.json`;
      const gem = toFields(await getJson(requests, { url, authorization, signal }));
      const links = toFields(gem.metadata);
      const homepage = toWebPage(gem.homepage_uri ?? links.homepage_uri);
      return {
        ecosystem: 'gem',
        name,
        version,
        licence: toList(gem.licenses).map(String).join(' OR ') || null,
        homepage,
        repository: toRepository(gem.source_code_uri ?? links.source_code_uri) ?? toRepository(homepage),
        repositoryFolder: null,
        documentation: toWebPage(gem.documentation_uri ?? links.documentation_uri) ?? homepage,
        archives: [{ kind: 'package', url: `${base}/gems/${name}-${version}.gem`, authorization }],
        description: null,
        isPrivate: !isPublic,
      };
    },
  };

  async function chooseVersion(name: string, range: string | null, signal: AbortSignal): Promise<string> {
    if (range !== null && /^\d+(?:\.\w+)+$/.test(range)) return range;
    const url = `${base}/api/v1/versions/${name}.json`;
    const list = toList(await getJson(requests, { url, authorization, signal })).map(toFields);
    const released = list.filter(({ prerelease }) => prerelease !== true);
    const numbers = released.flatMap(({ number }) => toText(number) ?? []);
    const wanted = range === null ? null : convertPessimistic(range);
    const chosen = range === null ? (numbers[0] ?? null) : chooseSemver(numbers, wanted);
    if (chosen === null) throw new LibraryMissing(`RubyGems has no ${name} ${range ?? ''}`.trim());
    return chosen;
  }
}
