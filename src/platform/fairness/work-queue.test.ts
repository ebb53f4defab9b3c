import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Tenant } from './fair-queue.ts';
import { createFairQueue } from './fair-queue.ts';
import { BURST, CALM_MS, createWorkQueue } from './work-queue.ts';

const busy = new Error('busy');
const { signal } = new AbortController();

/** One stage with a number of servers, each of which takes a task for as long as the test lets it; time moves by hand. */
function simulated({ servers, waitingFreely = 0 }: { servers: number; waitingFreely?: number }) {
  let at = 0;
  const now = (): number => at;
  const bounds = { waitingMax: 1_000, overloaded: () => busy, now };
  const stage = createFairQueue({ ...bounds, slots: servers, perFreeSlot: servers });
  const work = createWorkQueue({ ...bounds, slots: 1_000, waitingFreely, stages: [stage] });
  const running: { name: string; end(): void }[] = [];
  const served: string[] = [];
  const refused: string[] = [];
  const call = async (name: string, tenant: Tenant, hasWaited = false): Promise<void> => {
    const end = await work.take({ tenant, signal, hasWaited }).catch((error: unknown) => {
      assert.equal(error, busy);
      refused.push(name);
      return null;
    });
    if (end === null) return;
    const release = await stage.take({ tenant });
    running.push({
      name,
      end() {
        release();
        end();
        served.push(name);
      },
    });
  };
  return {
    work,
    served,
    refused,
    call,
    /** Every server ends what it does. */
    async serve(): Promise<void> {
      await settled();
      for (const task of running.splice(0)) task.end();
      await settled();
    },
    pass(ms: number): void {
      at += ms;
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('work queue', () => {
  test('500 calls of one tenant at once are all served; one of another is served in the second round', async () => {
    const { call, serve, served, refused } = simulated({ servers: 2 });
    for (let nth = 0; nth < 500; nth += 1) void call(`flood ${nth}`, 'flood');
    void call('other', 'other');
    await serve();
    await serve();
    assert.ok(served.includes('other'), served.join());
    for (let round = 0; round < 260; round += 1) await serve();
    assert.equal(served.length, 501);
    assert.deepEqual(refused, []);
  });

  test('beside a flood, a tenant with one call at a time waits for one round more than alone', async () => {
    for (const flood of [0, 500]) {
      const { call, serve, served, pass } = simulated({ servers: 2 });
      for (let nth = 0; nth < flood; nth += 1) void call(`flood ${nth}`, 'flood');
      let rounds = 0;
      for (let nth = 0; nth < 20; nth += 1) {
        void call(`own ${nth}`, 'own');
        while (!served.includes(`own ${nth}`)) {
          pass(10);
          await serve();
          rounds += 1;
        }
      }
      assert.ok(rounds <= 2 * 20, `${rounds} rounds for 20 calls beside a flood of ${flood}`);
    }
  });

  test('at twice what is carried, about half is refused at once, and waits stay short', async () => {
    const { call, serve, served, refused, pass } = simulated({ servers: 2 });
    const sentIn = new Map<string, number>();
    const rounds: number[] = [];
    for (let round = 0; round < 200; round += 1) {
      for (let nth = 0; nth < 4; nth += 1) {
        const name = `${round}.${nth}`;
        sentIn.set(name, round);
        void call(name, `key ${nth}`);
        await settled();
      }
      const before = served.length;
      pass(25);
      await serve();
      for (const name of served.slice(before)) rounds.push(round - (sentIn.get(name) ?? 0));
    }
    assert.ok(refused.length > 330 && refused.length < 420, `${refused.length} of 800 were refused`);
    assert.ok(served.length > 390, `${served.length} were served`);
    rounds.sort((one, other) => one - other);
    const p95 = rounds[Math.floor(rounds.length * 0.95)] ?? Number.NaN;
    assert.ok(p95 <= 4, `p95 is ${p95} rounds`);
  });

  test('an overload that slows the work itself is not taken for a slow machine', async () => {
    const { call, serve, refused, pass } = simulated({ servers: 40 });
    for (let nth = 0; nth < 100; nth += 1) {
      void call(`before ${nth}`, 'key');
      pass(10);
      await serve();
    }
    let ms = 0;
    for (let round = 0; refused.length === 0 && round < 100; round += 1) {
      for (let nth = 0; nth < 200; nth += 1) {
        void call(`${round}.${nth}`, 'key');
        await settled();
      }
      // Each piece of work now takes thirty times as long.
      pass(300);
      ms += 300;
      await serve();
    }
    assert.ok(ms <= 900, `nobody was refused for ${ms} ms`);
  });

  test('who is refused less often than every fifth time may wait again', async () => {
    const { call, serve, work, refused, pass } = simulated({ servers: 1 });
    for (let round = 0; round < 40; round += 1) {
      for (let nth = 0; nth < 3; nth += 1) void call(`${round}.${nth}`, 'key');
      pass(25);
      await serve();
    }
    assert.ok(refused.length > 0);
    assert.ok(work.isShedding());
    for (let round = 0; round < 20; round += 1) await serve();
    for (let round = 0; round < 2 * (CALM_MS / 25); round += 1) {
      void call(`calm ${round}`, 'key');
      pass(25);
      await serve();
    }
    assert.ok(!work.isShedding());
    const before = refused.length;
    for (let nth = 0; nth < 50; nth += 1) void call(`burst ${nth}`, 'key');
    await serve();
    assert.equal(refused.length, before);
  });

  test('a caller that keeps no more calls open than may wait freely is never refused', async () => {
    const { call, serve, served, refused, pass } = simulated({ servers: 2, waitingFreely: 30 });
    let sent = 0;
    const keepOpen = (calls: number): void => {
      while (sent - served.length - refused.length < calls) {
        void call(`call ${sent}`, 'key');
        sent += 1;
      }
    };
    for (let round = 0; round < 200; round += 1) {
      keepOpen(32);
      pass(25);
      await serve();
    }
    assert.deepEqual(refused, []);
    for (let round = 0; round < 20; round += 1) {
      keepOpen(60);
      pass(25);
      await serve();
    }
    assert.ok(refused.length > 0);
  });

  test('calls that have waited before are not refused', async () => {
    const { call, refused, pass, serve } = simulated({ servers: 1 });
    for (let nth = 0; nth < 5; nth += 1) {
      void call(`first ${nth}`, 'key');
      await settled();
    }
    pass(BURST.msMin + 1);
    void call('late', 'key');
    void call('patient', 'key', true);
    await serve();
    assert.deepEqual(refused, ['late']);
  });

  test('many tenants with one call each are refused too once they wait too long', async () => {
    const { call, serve, served, refused, pass } = simulated({ servers: 2 });
    for (let round = 0; round < 100; round += 1) {
      for (let nth = 0; nth < 4; nth += 1) void call(`${round}.${nth}`, `tenant ${round}.${nth}`);
      pass(25);
      await serve();
    }
    assert.ok(refused.length > 120, `${refused.length} of 400 were refused`);
    assert.ok(served.length > 190, `${served.length} were served`);
  });
});
