/**
 * Registries of packages: each finds the release that a version or a range means, with its licence, its addresses and its archives.
 * They are asked where the ecosystem's own settings say, so that private mirrors work; they download no archive themselves.
 */
import type { Ecosystem } from '../library-types.ts';
import { createComposerRegistry } from './composer.ts';
import { createCratesRegistry } from './crates.ts';
import { createGemRegistry } from './gem.ts';
import { createGoRegistry } from './go.ts';
import { createMavenRegistry } from './maven.ts';
import { createNpmRegistry } from './npm.ts';
import { createPubRegistry } from './pub.ts';
import { createPypiRegistry } from './pypi.ts';
import type { Registry, RegistryRequests } from './registry-types.ts';
import type { RegistrySettings } from './settings/registry-settings.ts';

/** Creates the registries of all ecosystems. */
export function createRegistries(
  requests: RegistryRequests,
  settings: RegistrySettings,
): Record<Ecosystem, Registry> {
  return {
    npm: createNpmRegistry(requests, settings.npm),
    pypi: createPypiRegistry(requests, settings.pypi),
    crates: createCratesRegistry(requests, settings.crates),
    go: createGoRegistry(requests, settings.go),
    maven: createMavenRegistry(requests, settings.maven),
    gem: createGemRegistry(requests, settings.gem),
    composer: createComposerRegistry(requests, settings.composer),
    pub: createPubRegistry(requests, settings.pub),
  };
}
