import type { DatabaseSync } from 'node:sqlite';
import { DAY_MS, utcDay } from '../../src/platform/utc.ts';

/** One day of charges: `charges` of them, spread evenly over the keys and the hours, each of `credits` credits. */
export type Day = { startsAt: number; charges: number; credits: number };

/** Digits of a request id after its time, as `newRequestId` makes them. */
const ID = "printf('req_%012x%012x', :startsAt + i * :every, i)";
const EACH = `with recursive n (i) as (select 0 union all select i + 1 from n where i < :charges - 1)`;
const FROM = `from n join bulk_key on bulk_key.place = i % :keys join account on account.key_id = bulk_key.key_id order by i`;

/**
 * Writes whole days with the statements of a bulk import, in one transaction for each day: the rows are those that holding and
 * settling each charge would leave.
 */
export function createDayWriter(database: DatabaseSync, keyIds: string[]): (day: Day) => void {
  database.exec('create temp table bulk_key (place integer primary key, key_id text not null)');
  const addKey = database.prepare('insert into bulk_key values (?, ?)');
  for (const [place, keyId] of keyIds.entries()) addKey.run(place, keyId);
  const statements = [
    `${EACH} insert into hold (id, key_id, amount, used, state, expires_at)
     select ${ID}, bulk_key.key_id, :credits, :credits, 'captured', :startsAt + i * :every ${FROM}`,
    `${EACH} insert into entry (key_id, version, kind, contra, ref, delta, balance, at)
     select bulk_key.key_id, account.version + i / :keys + 1, 'usage', 'revenue', ${ID}, -:credits,
       account.available + account.held - (i / :keys + 1) * :credits, :startsAt + i * :every ${FROM}`,
    `insert into usage_day (key_id, day, credits) select key_id, :day, :charges / :keys * :credits from bulk_key`,
    `update account set version = version + :charges / :keys, available = available - :charges / :keys * :credits
     where key_id in (select key_id from bulk_key)`,
  ].map((text) => {
    const statement = database.prepare(text);
    statement.setAllowUnknownNamedParameters(true);
    return statement;
  });
  return ({ startsAt, charges, credits }) => {
    if (charges % keyIds.length !== 0) throw new Error('the charges of a day must be a multiple of the keys');
    const every = Math.floor(DAY_MS / charges);
    const day = utcDay(startsAt);
    database.exec('begin immediate');
    const numbers = { startsAt, charges, credits, every, keys: keyIds.length };
    for (const statement of statements) statement.run({ ...asIntegers(numbers), day });
    database.exec('commit');
  };
}

/** Node binds a number as a float, which SQLite divides as such. */
function asIntegers(numbers: Record<string, number>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, BigInt(value)]));
}
