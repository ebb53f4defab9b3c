import type { Store } from '../../platform/store/open-store.ts';
import type { Upstream } from './upstream-types.ts';

/** Sources that the operator has switched off while they are configured. Kept in the store, so that it outlasts a restart. */
export type SourceSwitches = {
  isOff(name: string): boolean;
  /** Takes effect here at once, and in other processes on the same data within seconds. */
  set(name: string, state: 'on' | 'off'): Promise<void>;
  /** Reads what another process has switched. */
  reread(): Promise<void>;
  /** Called when a source was switched, by whichever process. */
  onChange(listener: () => void): void;
  /** The same source; while it is off it fits no query and says so. */
  over(upstream: Upstream): Upstream;
};

/** Why a source is off, for the operator. */
export const SWITCHED_OFF = 'the operator switched it off';

export async function createSourceSwitches(store: Store, now: () => number): Promise<SourceSwitches> {
  let off: ReadonlySet<string> = await readSwitchedOff(store);
  const listeners: (() => void)[] = [];
  const take = (names: ReadonlySet<string>): void => {
    const isSame = names.size === off.size && [...names].every((name) => off.has(name));
    off = names;
    if (!isSame) for (const listener of listeners) listener();
  };
  return {
    isOff: (name) => off.has(name),
    async set(name, state) {
      if (state === 'off')
        await store
          .insertInto('source_switch')
          .values({ name, off_at: now() })
          .onConflict((row) => row.column('name').doNothing())
          .execute();
      else await store.deleteFrom('source_switch').where('name', '=', name).execute();
      take(await readSwitchedOff(store));
    },
    reread: async () => take(await readSwitchedOff(store)),
    onChange(listener) {
      listeners.push(listener);
    },
    over: (upstream) => ({
      ...upstream,
      fitOf: (traits, domains) => (off.has(upstream.name) ? 0 : upstream.fitOf(traits, domains)),
      reading: () =>
        off.has(upstream.name)
          ? { ...upstream.reading(), state: 'off', why: SWITCHED_OFF }
          : upstream.reading(),
    }),
  };
}

async function readSwitchedOff(store: Store): Promise<Set<string>> {
  const rows = await store.selectFrom('source_switch').select('name').execute();
  return new Set(rows.map(({ name }) => name));
}
