import { type Pom, parsePom } from '../projects/maven-project.ts';
import { findElements, parseXml } from '../xml-element.ts';
import { chooseMavenVersion } from './choose-version.ts';
import {
  getText,
  LibraryMissing,
  type Registry,
  type RegistryPlace,
  type RegistryRequests,
  type ReleaseQuery,
} from './registry-types.ts';
import { toRepository, toWebPage } from './web-addresses.ts';

/** Maximum POMs that are read for one library: its parents, and those that decide on a version. */
const POMS_MAX = 40;

/** https://maven.apache.org/repository/layout.html */
export function createMavenRegistry(requests: RegistryRequests, places: readonly RegistryPlace[]): Registry {
  return {
    async resolve(query, signal) {
      const { name, range } = query;
      for (const place of places) {
        const reader = createPomReader(requests, place, signal);
        const version = await chooseVersion(query, reader);
        const pom = version === null ? null : await reader.readPom(name, version);
        if (version === null || pom === null) continue;
        const { licence, homepage, repository } = await inheritFacts(pom, reader);
        const { authorization } = place;
        const file = `${buildFolder(place, name)}/${version}/${name.split(':')[1]}-${version}`;
        return {
          ecosystem: 'maven',
          name,
          version,
          licence,
          homepage: toWebPage(homepage),
          repository: toRepository(repository) ?? toRepository(homepage),
          repositoryFolder: null,
          documentation: toWebPage(homepage),
          archives: [
            { kind: 'javadoc', url: `${file}-javadoc.jar`, authorization },
            { kind: 'sources', url: `${file}-sources.jar`, authorization },
          ],
          description: null,
          isPrivate: !place.isPublic,
        };
      }
      throw new LibraryMissing(`no Maven repository has ${name}${range === null ? '' : `:${range}`}`);
    },
  };
}

type PomReader = {
  readPom(name: string, version: string, inherited?: ReadonlyMap<string, string>): Promise<Pom | null>;
  listVersions(name: string): Promise<string[]>;
};

function createPomReader(requests: RegistryRequests, place: RegistryPlace, signal: AbortSignal): PomReader {
  const { authorization } = place;
  let left = POMS_MAX;
  return {
    async readPom(name, version, inherited) {
      if (left === 0) return null;
      left -= 1;
      const url = `${buildFolder(place, name)}/${version}/${name.split(':')[1]}-${version}.pom`;
      const text = await getText(requests, { url, authorization, signal });
      return text === null ? null : parsePom(text, inherited);
    },
    async listVersions(name) {
      const url = `${buildFolder(place, name)}/maven-metadata.xml`;
      const text = await getText(requests, { url, authorization, signal });
      if (text === null) return [];
      return findElements(parseXml(text), 'versioning', 'versions', 'version').map((one) => one.text.trim());
    },
  };
}

const buildFolder = ({ base }: RegistryPlace, name: string): string => {
  const [group = '', artifact = ''] = name.split(':');
  return `${base}/${group.replaceAll('.', '/')}/${artifact}`;
};

/** The version that is stated; else the one that the project's parents and imports decide on; else the newest release. */
async function chooseVersion(
  { name, range, poms = [] }: ReleaseQuery,
  reader: PomReader,
): Promise<string | null> {
  if (range !== null && /^\w[\w.+-]*$/.test(range)) {
    if ((await reader.readPom(name, range)) !== null) return range;
  }
  const managed = range === null ? await findManaged(name, poms, reader) : null;
  return managed ?? chooseMavenVersion(await reader.listVersions(name), range);
}

async function findManaged(
  name: string,
  poms: readonly { name: string; version: string }[],
  reader: PomReader,
): Promise<string | null> {
  for (const { name: of, version } of poms) {
    const chain = await readChain(of, version, reader);
    for (const pom of chain) {
      const found = pom.managed.get(name) ?? (await findManaged(name, pom.imports, reader));
      if (found !== null) return found;
    }
  }
  return null;
}

/** Reads a POM and its parents, each with the properties of those above it. */
async function readChain(name: string, version: string, reader: PomReader): Promise<Pom[]> {
  const own = await reader.readPom(name, version);
  if (own === null) return [];
  const above = own.parent === null ? [] : await readChain(own.parent.name, own.parent.version, reader);
  const inherited = above[0]?.properties;
  const full = inherited === undefined ? own : ((await reader.readPom(name, version, inherited)) ?? own);
  return [full, ...above];
}

/** Licence, homepage and repository may stand in a parent only. */
async function inheritFacts(
  pom: Pom,
  reader: PomReader,
): Promise<Pick<Pom, 'licence' | 'homepage' | 'repository'>> {
  const { licence, homepage, repository, parent } = pom;
  if (parent === null || (licence !== null && repository !== null)) return { licence, homepage, repository };
  const above = await reader.readPom(parent.name, parent.version);
  if (above === null) return { licence, homepage, repository };
  const inherited = await inheritFacts(above, reader);
  return {
    licence: licence ?? inherited.licence,
    homepage: homepage ?? inherited.homepage,
    repository: repository ?? inherited.repository,
  };
}
