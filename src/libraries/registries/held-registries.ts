import type { Store } from '../../platform/store/open-store.ts';
import { listLibraries } from '../held/library-rows.ts';
import { ECOSYSTEMS, type Ecosystem } from '../library-types.ts';
import { chooseSemver } from './choose-version.ts';
import { LibraryMissing, type Registry } from './registry-types.ts';

/** Creates registries that know what is held and ask nobody: a range means the newest version within it that is held. */
export function createHeldRegistries(store: Store): Record<Ecosystem, Registry> {
  const entries = ECOSYSTEMS.map((ecosystem) => [ecosystem, createHeldRegistry(store, ecosystem)] as const);
  // Built from the list of all ecosystems.
  return Object.fromEntries(entries) as Record<Ecosystem, Registry>;
}

function createHeldRegistry(store: Store, ecosystem: Ecosystem): Registry {
  return {
    async resolve({ name, range }) {
      const rows = (await listLibraries(store)).filter(
        (row) => row.ecosystem === ecosystem && row.name === name && row.state === 'held',
      );
      const versions = rows.map(({ version }) => version);
      // Versions that are not of npm's grammar are found as they are written.
      const exact = range !== null && versions.includes(range) ? range : null;
      const version =
        exact ?? chooseSemver(versions, range) ?? (range === null ? versions.at(-1) : undefined);
      const row = rows.find((one) => one.version === version);
      if (row === undefined) throw new LibraryMissing('is not held, and nobody is asked offline');
      const { licence, homepage, repository, is_private: isPrivate } = row;
      return {
        ecosystem,
        name,
        version: row.version,
        licence,
        homepage,
        repository,
        repositoryFolder: null,
        documentation: null,
        archives: [],
        description: null,
        isPrivate: isPrivate === 1,
      };
    },
  };
}
