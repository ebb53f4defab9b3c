import { type Fields, toFields, toText } from '../projects/lock-reader.ts';
import { chooseSemver } from './choose-version.ts';
import {
  chooseAuthorization,
  getJson,
  LibraryMissing,
  type Registry,
  type RegistryPlace,
  type RegistryRequests,
  type Release,
} from './registry-types.ts';
import type { NpmSettings } from './settings/registry-settings.ts';
import { toRepository, toWebPage } from './web-addresses.ts';

/** The list of versions without their descriptions. */
const ABBREVIATED = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';

/** https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md */
export function createNpmRegistry(requests: RegistryRequests, settings: NpmSettings): Registry {
  return {
    async resolve({ name, range }, signal) {
      const scope = name.startsWith('@') ? (name.split('/')[0] ?? '') : '';
      const place = settings.scopes.get(scope) ?? settings.main;
      const { authorization } = place;
      const address = `${place.base}/${name.replace('/', '%2f')}`;
      const isExact = range !== null && /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(range);
      const version = isExact ? range : await chooseVersion(address, range);
      // Some registries serve no single version; they give the whole list.
      const one = toFields(await getJson(requests, { url: `${address}/${version}`, authorization, signal }));
      const manifest = 'dist' in one ? one : await readFromList(address, version);
      const isPublic = place.isPublic && (await isShownToAll(`${address}/${version}`));
      return toRelease(name, manifest, { ...place, isPublic });

      /** The public registry has private packages too, all of them with a scope. */
      async function isShownToAll(url: string): Promise<boolean> {
        if (authorization === null || scope === '') return true;
        return (await getJson(requests, { url, signal })) !== null;
      }

      async function chooseVersion(url: string, wanted: string | null): Promise<string> {
        const list = toFields(await getJson(requests, { url, authorization, accept: ABBREVIATED, signal }));
        const tags = toFields(list['dist-tags']);
        const tagged = toText(tags[wanted ?? 'latest']);
        const chosen = tagged ?? chooseSemver(Object.keys(toFields(list.versions)), wanted);
        if (chosen === null) throw new LibraryMissing(`npm has no ${name}@${wanted ?? 'latest'}`);
        return chosen;
      }

      async function readFromList(url: string, wanted: string): Promise<Fields> {
        const list = toFields(await getJson(requests, { url, authorization, signal }));
        const versions = toFields(list.versions);
        if (!(wanted in versions)) throw new LibraryMissing(`npm has no ${name}@${wanted}`);
        return toFields(versions[wanted]);
      }
    },
  };
}

function toRelease(name: string, manifest: Fields, place: RegistryPlace): Release {
  const repository = toFields(manifest.repository);
  const tarball = toWebPage(toFields(manifest.dist).tarball);
  const homepage = toWebPage(manifest.homepage);
  return {
    ecosystem: 'npm',
    name,
    version: toText(manifest.version) ?? '',
    licence: toText(manifest.license) ?? toText(toFields(manifest.license).type),
    homepage,
    repository: toRepository(repository.url ?? manifest.repository),
    repositoryFolder: toText(repository.directory),
    documentation: homepage,
    archives:
      tarball === null
        ? []
        : [{ kind: 'package', url: tarball, authorization: chooseAuthorization(tarball, place) }],
    description: null,
    isPrivate: !place.isPublic,
  };
}
