import { after, before, describe } from 'node:test';
import { Exa, ExaError } from 'exa-js';
import { Exa as OldExa, ExaError as OldExaError } from 'exa-js-1';
import type { CitedParts } from '../../src/search/cite-parts.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** The published client of the first shape, with only its base address changed; A1 to A19 and A21 of its acceptance tests. */

/** The service of the file's tests, and a page of its site. */
export let fixture: ClientFixture;
export let page: string;

export type Version = { name: string; isCurrent: boolean; Client: typeof Exa; Failed: typeof ExaError };
const VERSIONS: Version[] = [
  { name: 'exa-js 2.23.0', isCurrent: true, Client: Exa, Failed: ExaError },
  // The methods that are called here are the same in both; the newer types know more beside them.
  {
    name: 'exa-js 1.10.2',
    isCurrent: false,
    Client: OldExa as unknown as typeof Exa,
    Failed: OldExaError as unknown as typeof ExaError,
  },
];

export const QUERY = 'wading birds of sandy beaches';
/** The parts of a page in a result. */
export const partsOf = (result: unknown): CitedParts => result as CitedParts;

/** A client at a path of the service, with a new key unless one is given. */
export type ClientOf = (path?: string, key?: string) => Promise<Exa>;

/** Describes what each version of the client accepts. */
export function describeExa(accepts: (client: ClientOf, version: Version) => void): void {
  before(async () => {
    fixture = await openClientFixture();
    page = `${fixture.site.origin}/sanderling`;
  });
  after(() => fixture.close());
  for (const version of VERSIONS)
    describe(version.name, () =>
      accepts(
        async (path = '', key?: string) =>
          new version.Client(key ?? (await fixture.key()), fixture.served.address + path),
        version,
      ),
    );
}
