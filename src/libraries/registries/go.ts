import { toFields, toText } from '../projects/lock-reader.ts';
import { chooseSemver } from './choose-version.ts';
import {
  getJson,
  getText,
  LibraryMissing,
  type Registry,
  type RegistryPlace,
  type RegistryRequests,
} from './registry-types.ts';
import type { GoSettings } from './settings/registry-settings.ts';
import { toRepository } from './web-addresses.ts';

/** https://go.dev/ref/mod#goproxy-protocol */
export function createGoRegistry(requests: RegistryRequests, settings: GoSettings): Registry {
  return {
    async resolve({ name, range }, signal) {
      if (settings.isPrivate(name))
        throw new LibraryMissing(`${name} is private (GOPRIVATE): add its repository as git:<address>#<tag>`);
      for (const place of settings.proxies) {
        const version = await findVersion(requests, place, { name, range }, signal);
        if (version === null) continue;
        const address = `${place.base}/${escapeCase(name)}/@v/${escapeCase(version)}.zip`;
        return {
          ecosystem: 'go',
          name,
          version,
          licence: null,
          homepage: null,
          repository: /^(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)\//.test(name)
            ? toRepository(`https://${name}`)
            : null,
          repositoryFolder: null,
          documentation: null,
          archives: [{ kind: 'package', url: address, authorization: place.authorization }],
          description: null,
          isPrivate: !place.isPublic,
        };
      }
      throw new LibraryMissing(`no Go proxy has ${name}${range === null ? '' : `@${range}`}`);
    },
  };
}

async function findVersion(
  requests: RegistryRequests,
  { base, authorization }: RegistryPlace,
  { name, range }: { name: string; range: string | null },
  signal: AbortSignal,
): Promise<string | null> {
  const address = `${base}/${escapeCase(name)}`;
  if (range !== null && /^v\d{1,9}\.\d{1,9}\.\d{1,9}(?:[.+-][\w.+-]{0,200})?$/.test(range)) {
    const info = await getText(requests, {
      url: `${address}/@v/${escapeCase(range)}.info`,
      authorization,
      signal,
    });
    return info === null ? null : range;
  }
  const list = await getText(requests, { url: `${address}/@v/list`, authorization, signal });
  const versions = (list ?? '').split(/\s+/).filter((version) => version !== '');
  const wanted = range === null ? null : range.replace(/^v/, '');
  const chosen = chooseSemver(versions, wanted);
  if (chosen !== null || range !== null) return chosen;
  // Modules without releases have only the state of their repository.
  const latest = await getJson(requests, { url: `${address}/@latest`, authorization, signal });
  return toText(toFields(latest).Version);
}

/** Upper-case letters are written as `!` and the lower-case one. */
const escapeCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
