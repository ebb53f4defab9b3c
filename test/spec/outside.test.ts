import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ACCOUNTS, COSTS, REQUESTS, RESPONSES, SPECIAL } from './case-tables.ts';
import { runCases } from './run-cases.ts';
import { openSpecFixture, type SpecFixture } from './spec-fixture.ts';

const NAMES_ITSELF = {
  checkUrl: (url: string) => new URL(url),
  fetch: async ({ url }: { url: string }) => ({
    url,
    status: 200,
    redirects: [],
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: new TextEncoder().encode(`Asked for ${url}\n\n${'The page says a little more. '.repeat(20)}`),
  }),
  close: async () => {},
};

let strict: SpecFixture;
let dark: SpecFixture;
let echo: SpecFixture;
let offered: SpecFixture;
before(async () => {
  strict = await openSpecFixture({ FETCH_ALLOW_PRIVATE: '' });
  dark = await openSpecFixture({ RECALL: 'searxng' });
  dark.upstream.play('searxng', { mode: 'down' });
  echo = await openSpecFixture({ FETCH_ALLOW_PRIVATE: '' }, { network: NAMES_ITSELF });
  offered = await openSpecFixture({ FETCH_ALLOW_PRIVATE: '', BASE_URL: 'https://page.example' });
});
after(async () => {
  for (const fixture of [strict, dark, echo, offered]) await fixture.close();
});

runCases('addresses that are not public', SPECIAL.strict, () => strict);
runCases('when every source is down', SPECIAL.dark, () => dark);
runCases('addresses that are read in place of others', SPECIAL.echo, () => echo);
runCases('cross-origin requests', SPECIAL.offered, () => offered);

test('every case has an id of its own, and there are at least 1,200', () => {
  const tables = [REQUESTS, RESPONSES, COSTS, ACCOUNTS, SPECIAL].flatMap((one) => Object.values(one));
  const ids = tables.flat().map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id, place) => ids.indexOf(id) !== place),
    [],
  );
  assert.ok(ids.length >= 1_200, `${ids.length} cases`);
});
