import type { Dependency } from '../library-types.ts';
import { findElements, parseXml, readElementText, type XmlElement } from '../xml-element.ts';
import { type LockReader, splitLines } from './lock-reader.ts';

/** A POM as far as it decides on versions. Coordinates are `group:artifact`. */
export type Pom = {
  properties: ReadonlyMap<string, string>;
  parent: { name: string; version: string } | null;
  dependencies: PomDependency[];
  /** The versions that the POM sets for whoever names none. */
  managed: ReadonlyMap<string, string>;
  /** POMs whose managed versions count too. */
  imports: { name: string; version: string }[];
  licence: string | null;
  homepage: string | null;
  repository: string | null;
};

type PomDependency = { name: string; version: string | null; scope: string };

const NESTING_MAX = 10;

/** Reads a POM (https://maven.apache.org/pom.html). `inherited`: the properties of its parents. */
export function parsePom(text: string, inherited: ReadonlyMap<string, string> = new Map()): Pom {
  const pom = parseXml(text);
  const properties = new Map(inherited);
  for (const { children } of findElements(pom, 'properties'))
    for (const child of children) properties.set(child.name, child.text.trim());
  for (const name of ['groupId', 'artifactId', 'version']) {
    const value = readElementText(pom, name) ?? readElementText(pom, 'parent', name);
    if (value !== null) for (const prefix of ['project', 'pom']) properties.set(`${prefix}.${name}`, value);
  }
  const fill = (value: string | null): string | null => fillProperties(value, properties);
  const readCoordinates = (element: XmlElement): PomDependency => ({
    name: `${fill(readElementText(element, 'groupId')) ?? ''}:${fill(readElementText(element, 'artifactId')) ?? ''}`,
    version: fill(readElementText(element, 'version')),
    scope: fill(readElementText(element, 'scope')) ?? 'compile',
  });
  const managed = findElements(pom, 'dependencyManagement', 'dependencies', 'dependency').map(
    readCoordinates,
  );
  const hasVersion = (one: PomDependency): one is PomDependency & { version: string } => one.version !== null;
  const parent = findElements(pom, 'parent').map(readCoordinates).find(hasVersion);
  return {
    properties,
    parent: parent === undefined ? null : { name: parent.name, version: parent.version },
    dependencies: findElements(pom, 'dependencies', 'dependency').map(readCoordinates),
    managed: new Map(managed.filter(hasVersion).map(({ name, version }) => [name, version])),
    imports: managed.filter(hasVersion).filter(({ scope }) => scope === 'import'),
    licence:
      findElements(pom, 'licenses', 'license')
        .map((one) => readElementText(one, 'name'))
        .find((name) => name !== null) ?? null,
    homepage: fill(readElementText(pom, 'url')),
    repository: fill(readElementText(pom, 'scm', 'url')),
  };
}

/** Replaces `${name}`; null where a property is not known. */
function fillProperties(value: string | null, properties: ReadonlyMap<string, string>): string | null {
  let text = value;
  for (let tried = 0; text?.includes('${') && tried < NESTING_MAX; tried += 1)
    text = text.replace(/\$\{([^${}]+)\}/g, (whole, name) => properties.get(name) ?? whole);
  return text?.includes('${') ? null : text;
}

/** A POM names its dependencies; versions that it does not name come from its parents, which the registry reads. */
export const POM: LockReader = {
  ecosystem: 'maven',
  files: /^pom\.xml$/,
  read(text) {
    const pom = parsePom(text);
    return pom.dependencies
      .filter(({ scope }) => scope !== 'system' && scope !== 'import')
      .map(({ name, version, scope }) => {
        const stated = version ?? pom.managed.get(name) ?? null;
        const isRange = stated !== null && /^[[(]/.test(stated);
        return toDependency({
          name,
          version: isRange ? null : stated,
          range: isRange ? stated : null,
          isDirect: true,
          isDev: scope === 'test',
        });
      });
  },
};

/** Lists the POMs that decide on versions which this one leaves open. */
export function listDecidingPoms(text: string): { name: string; version: string }[] {
  const { parent, imports } = parsePom(text);
  return [...(parent === null ? [] : [parent]), ...imports];
}

/** https://docs.gradle.org/current/userguide/dependency_locking.html; what is direct stands in the build files. */
export const GRADLE_LOCK: LockReader = {
  ecosystem: 'maven',
  files: /^gradle\.lockfile$/,
  read(text, beside) {
    const builds = ['build.gradle', 'build.gradle.kts', 'gradle/libs.versions.toml'].flatMap((name) => {
      const build = beside(name);
      return build === null ? [] : [build];
    });
    return splitLines(text).flatMap((line) => {
      const parts = /^([^#:=\s]+:[^:=\s]+):([^:=\s]+)=(.*)$/.exec(line);
      if (parts === null) return [];
      const [, name = '', version = '', configurations = ''] = parts;
      const isDev = configurations.split(',').every((one) => /^test|Test/.test(one));
      const isDirect = builds.length === 0 || builds.some((build) => namesModule(build, name));
      return [toDependency({ name, version, range: null, isDirect, isDev })];
    });
  },
};

/** Build files name a module as `group:artifact`, or its two parts on one line. */
function namesModule(build: string, name: string): boolean {
  if (build.includes(`"${name}"`) || build.includes(`'${name}'`) || build.includes(`${name}:`)) return true;
  const [group = '', artifact = ''] = name.split(':');
  const isNamed = (line: string, part: string): boolean =>
    line.includes(`"${part}"`) || line.includes(`'${part}'`);
  return build.split('\n').some((line) => isNamed(line, group) && isNamed(line, artifact));
}

const toDependency = (stated: Omit<Dependency, 'ecosystem'>): Dependency => ({
  ecosystem: 'maven',
  ...stated,
});
