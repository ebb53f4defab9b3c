import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { resolveAppSecret } from '../../src/app/compose-payments.ts';
import { deriveServerId } from '../../src/platform/app-secret.ts';
import { movedClock } from '../fixtures/moved-clock.ts';
import { type Door, heldPage, startDoor } from '../fixtures/peers.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';

const SHARED = 'https://waders.example/knot';
const HANDBOOK = 'https://handbook.example/knot-survey';
const NOTES = 'https://notes.example/knot-diary';
const HOUR_MS = 3_600_000;
/** A search waits for all sources, however busy the machine is. */
const clock = movedClock();
const PATIENT = { clock, waits: { softMs: 600_000 } };
const OTHER_ID = 'a'.repeat(16);
const QUERY = 'red knot migration';

/** Asks a server, which asks no other, until it answers with a passage: the first searches of a server wait for its threads to start. */
async function warmUp(app: RealServed): Promise<void> {
  const { get } = await app.owner();
  const via = { 'sanderling-via': `${'b'.repeat(16)}, ${OTHER_ID}` };
  await waitFor(async () => {
    clock.advance(HOUR_MS);
    const { json } = await get('/res/v1/web/search?q=red+knot', via);
    return json.web?.results[0]?.description.includes('red knot');
  });
}

/**
 * Searches until the answer is whole, because on a busy machine a peer may be late. The search in between finds nothing anywhere, so that it
 * waits for every peer, and all are idle after it.
 */
function searchInTime(
  app: RealServed,
  headers: Record<string, string>,
  isWhole: (answer: Answered['json']) => boolean,
): Promise<Answered['json']> {
  let tries = 0;
  const search = async (query: string): Promise<Answered['json']> =>
    (await app.post('/v1/search', { query: `${query} ${tries}` }, headers)).json;
  return waitFor(async () => {
    tries += 1;
    const answer = await search(QUERY);
    if (isWhole(answer)) return answer;
    await search('plover');
    // A peer that was late too often is left alone for a while.
    clock.advance(HOUR_MS);
    return null;
  });
}

/** A team's server, a laptop and a third server, each a peer of the others: every search could run in circles. */
describe('three servers that ask each other', () => {
  let doors: Record<'team' | 'laptop' | 'third', Door>;
  let team: RealServed;
  let laptop: RealServed;
  let third: RealServed;
  before(async () => {
    const [atTeam, atLaptop, atThird] = await Promise.all(
      ['127.40.0.1', '127.40.0.2', '127.40.0.3'].map(startDoor),
    );
    assert.ok(atTeam && atLaptop && atThird);
    doors = { team: atTeam, laptop: atLaptop, third: atThird };
    const named = (...names: (keyof typeof doors)[]): Record<string, string> => ({
      PEERS: names.map((name) => `${name}=${doors[name].origin}`).join(','),
      RECALL: ['index', ...names.map((name) => `sanderling:${name}`)].join(','),
    });
    team = await serveReal(named('laptop', 'third'), PATIENT);
    const { apiKey } = await team.billing.keys.create({ credits: 100_000, label: 'peers' });
    const withKey = { METERING: 'off', PEER_KEYS: `team=${apiKey}`, PEER_CALLERS: 'team=all' };
    third = await serveReal({ ...named('team', 'laptop'), ...withKey }, PATIENT);
    laptop = await serveReal({ ...named('team', 'third'), ...withKey }, PATIENT);
    doors.team.leadTo(team.address);
    doors.laptop.leadTo(laptop.address);
    doors.third.leadTo(third.address);
    await team.services.index.put([
      heldPage(
        SHARED,
        'The red knot',
        'The red knot flies from the far north: its migration is among the longest.',
      ),
      heldPage(HANDBOOK, 'Knot survey', 'How the team counts the red knot during its migration in May.'),
    ]);
    await laptop.services.index.put([
      heldPage(
        SHARED,
        'The red knot',
        'The red knot flies from the far north: its migration is among the longest.',
      ),
    ]);
    await third.services.index.put([
      heldPage(NOTES, 'Knot diary', 'A diary of one red knot migration, from the Wadden Sea to Siberia.'),
    ]);
  });
  before(async () => {
    for (const app of [third, team, laptop]) await warmUp(app);
  });
  after(async () => {
    await Promise.all([team, laptop, third].map((one) => one.close()));
    await Promise.all(Object.values(doors).map((door) => door.close()));
  });

  test('they answer together, each page once, and the answer says who gave what', async () => {
    const { results, service } = await searchInTime(laptop, {}, ({ service: told }) => {
      const { 'sanderling:team': first, 'sanderling:third': second } = told?.sources ?? {};
      // Each of the two has asked the other, too.
      return first?.results === 3 && second?.results === 3;
    });
    assert.deepEqual(Object.keys(service.sources).sort(), ['index', 'sanderling:team', 'sanderling:third']);
    assert.equal(service.sources.index.results, 1);
    const urls = results.map(({ url }: { url: string }) => url);
    assert.deepEqual([...urls].sort(), [HANDBOOK, NOTES, SHARED]);
  });

  test('no search goes round: two servers pass it on, no third does', () => {
    const own = deriveServerId(resolveAppSecret(laptop.services.config));
    const passed = Object.values(doors).flatMap(({ searches }) => searches.map((via) => via.split(', ')));
    assert.deepEqual(new Set(passed.map(({ length }) => length)), new Set([1, 2]));
    assert.ok(passed.every(([first]) => first === own));
  });

  test('a search that comes back costs nothing', async () => {
    const owner = await team.owner();
    const readCredits = async (): Promise<number> => (await owner.get('/v1/balance')).json.credits;
    const ask = (...via: string[]) =>
      owner.get(`/res/v1/web/search?q=${encodeURIComponent(QUERY)}`, { 'sanderling-via': via.join(', ') });
    const before = await readCredits();
    const again = await ask(OTHER_ID, deriveServerId(resolveAppSecret(team.services.config)));
    assert.deepEqual(again.json.web.results, []);
    assert.equal(await readCredits(), before);
    const first = await ask(OTHER_ID);
    assert.ok(first.json.web.results.length > 0);
    assert.equal(await readCredits(), before - 1);
  });

  test('the console, /v1/sources and a switch know each peer by its name', async () => {
    const { json } = await laptop.get('/v1/sources');
    const [peer] = json.sources.filter(({ name }: { name: string }) => name === 'sanderling:team');
    assert.partialDeepStrictEqual(peer, { scope: 'field', state: 'on', breaker: 'closed' });
    assert.ok(peer.quotaLeft > 0 && peer.quotaLeft < 100_000);
    assert.doesNotMatch(JSON.stringify(json), /127\.40\./);
    await laptop.services.recall.switches.set('sanderling:third', 'off');
    const { json: found } = await laptop.post('/v1/search', { query: `${QUERY} off` });
    assert.deepEqual(Object.keys(found.service.sources).sort(), ['index', 'sanderling:team']);
    await laptop.services.recall.switches.set('sanderling:third', 'on');
  });
});

describe('a peer that is asked with a key of one caller', () => {
  let folder: string;
  let door: Door;
  let team: RealServed;
  let app: RealServed;
  let owner: Record<string, string>;
  let other: Record<string, string>;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'peers-'));
    door = await startDoor('127.40.0.4');
    team = await serveReal();
    door.leadTo(team.address);
    await team.services.index.put([heldPage(HANDBOOK, 'Knot survey', 'How the team counts the red knot.')]);
    const issued = await team.billing.keys.create({ credits: 1_000, label: null });
    const first = await serveReal({ DATA_DIR: folder });
    const [mine, others] = await Promise.all(
      ['mine', 'others'].map((label) => first.billing.keys.create({ credits: 1_000, label })),
    );
    await first.close();
    assert.ok(mine && others);
    owner = { 'x-api-key': mine.apiKey };
    other = { 'x-api-key': others.apiKey };
    const settings = {
      DATA_DIR: folder,
      RECALL: 'index,sanderling:team',
      PEERS: `team=${door.origin}`,
      PEER_KEYS: `team=${issued.apiKey}`,
      PEER_CALLERS: `team=${mine.keyId}`,
    };
    app = await serveReal(settings, PATIENT);
    await app.services.index.put([
      heldPage(SHARED, 'The red knot', 'The red knot flies from the far north.'),
    ]);
  });
  before(async () => {
    for (const one of [team, app]) await warmUp(one);
  });
  after(async () => {
    await Promise.all([app, team].map((one) => one.close()));
    await door.close();
    rmSync(folder, { recursive: true, force: true });
  });

  // The rate limit of a source goes by this clock.
  beforeEach(() => clock.advance(HOUR_MS));
  const call = async (path: string, body: object, headers: Record<string, string>): Promise<string> => {
    const { status, text } = await app.post(path, body, headers);
    assert.equal(status, 200, text);
    return text;
  };

  test('its results are in the answer to that caller', async () => {
    await searchInTime(app, owner, (answer) =>
      /handbook\.example.*sanderling:team/.test(JSON.stringify(answer)),
    );
  });

  const CALLS: [path: string, body: object][] = [
    ['/v1/search', { query: QUERY, contents: { highlights: true } }],
    ['/v1/answer', { query: QUERY }],
    ['/v1/findSimilar', { url: SHARED }],
    ['/v1/research', { question: 'How is the red knot counted?', maxSearches: 1 }],
    ['/shapeB/search', { query: QUERY }],
    ['/v2/search', { query: QUERY }],
    ['/openwebui/search', { query: QUERY }],
  ];
  for (const [path, body] of CALLS)
    test(`${path} asks it for that caller alone`, async () => {
      const before = door.searches.length;
      await call(path, body, owner);
      const asked = door.searches.length;
      assert.ok(asked > before);
      for (const headers of [other, {}])
        assert.doesNotMatch(await call(path, body, headers), /handbook\.example|sanderling:team/);
      assert.equal(door.searches.length, asked);
    });

  test('nothing of it is kept: not in the index, not in the answers, not among those of sources', async () => {
    assert.equal(await app.services.index.get(HANDBOOK), null);
    const asked = door.searches.length;
    await call('/v1/search', { query: QUERY }, owner);
    assert.equal(door.searches.length, asked + 1);
  });
});
