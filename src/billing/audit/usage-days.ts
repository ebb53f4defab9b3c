import { sql } from 'kysely';
import { DAY_MS } from '../../platform/utc.ts';
import { type Check, createCheck } from './check.ts';

/** The UTC day of a usage entry, as `YYYY-MM-DD`. */
const DAY_OF_USAGE = {
  sqlite: sql<string>`strftime('%Y-%m-%d', usage.at / 1000, 'unixepoch')`,
  postgres: sql<string>`to_char(date '1970-01-01' + (usage.at / ${sql.lit(DAY_MS)})::integer, 'YYYY-MM-DD')`,
};

/** A refund reduces the day of the usage that it refunds, not its own. */
const sums = createCheck(
  ({ db, dialect }) =>
    db
      .selectFrom(
        db
          .selectFrom('usage_day')
          .select(['key_id', 'day', 'credits as counted', sql<number>`0`.as('entered')])
          .unionAll(
            db
              .selectFrom('entry as usage')
              .leftJoin('entry as refund', (on) =>
                on
                  .on('usage.kind', '=', 'usage')
                  .on('refund.kind', '=', 'refund')
                  .onRef('refund.ref', '=', 'usage.ref'),
              )
              .where('usage.kind', 'in', ['usage', 'rolled'])
              .select(['usage.key_id', DAY_OF_USAGE[dialect].as('day'), sql<number>`0`.as('counted')])
              .select(sql<number>`-usage.delta - coalesce(refund.delta, 0)`.as('entered')),
          )
          .as('beside'),
      )
      .select(({ fn }) => [
        'key_id',
        'day',
        fn.sum<number>('counted').as('counted'),
        fn.sum<number>('entered').as('entered'),
      ])
      .groupBy(['key_id', 'day'])
      .having(sql<boolean>`sum(counted) <> sum(entered)`),
  ({ day, counted, entered }) => `${day} counts ${counted} credits used, its entries add up to ${entered}`,
);

export const usageDays: readonly Check[] = [sums];
