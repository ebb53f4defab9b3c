import { type Clock, DAY_MS, toUtcDay } from '../platform/clock.ts';
import type { Store } from '../platform/store/open-store.ts';

/** What the model was asked on one UTC day, by all processes over one data folder. */
export type ModelDay = { calls: number; tokens: number };

/** Counts the tokens of each day, so that an error or a flood cannot spend without end. */
export type TokenBudget = {
  /** Returns whether tokens of today are left, as far as this process knows. */
  hasRoom(): Promise<boolean>;
  record(tokens: number): Promise<void>;
  today(): Promise<ModelDay>;
};

const DAYS_KEPT = 31;

/** Creates the count over the store. A call may exceed the day's bound by its own tokens, which are bounded. */
export function createTokenBudget(store: Store, clock: Clock, tokensPerDay: number): TokenBudget {
  const readDay = async (): Promise<ModelDay> => {
    const row = await store
      .selectFrom('model_day')
      .select(['calls', 'tokens'])
      .where('day', '=', toUtcDay(clock.now()))
      .executeTakeFirst();
    return row ?? { calls: 0, tokens: 0 };
  };
  return {
    today: readDay,
    async hasRoom() {
      return (await readDay()).tokens < tokensPerDay;
    },
    async record(tokens) {
      const day = toUtcDay(clock.now());
      await store
        .insertInto('model_day')
        .values({ day, calls: 1, tokens })
        .onConflict((conflict) =>
          conflict.column('day').doUpdateSet((now) => ({
            calls: now('model_day.calls', '+', 1),
            tokens: now('model_day.tokens', '+', tokens),
          })),
        )
        .execute();
      await store
        .deleteFrom('model_day')
        .where('day', '<', toUtcDay(clock.now() - DAYS_KEPT * DAY_MS))
        .execute();
    },
  };
}
