import { type QueryCreator, type RawBuilder, sql } from 'kysely';
import type { LedgerTables } from '../../../platform/store/ledger/ledger-tables.ts';
import type { LedgerQueries } from '../../../platform/store/ledger/procedure.ts';
import { template } from '../../../platform/store/ledger/template.ts';
import { accountOf } from '../account-queries.ts';

/** One of several charges of a key: its place among them, from 1, and the credits that those after it take. */
export type ChargePart = {
  id: string;
  used: number;
  at: number;
  day: string;
  endpoint: string | null;
  place: number;
  later: number;
};

/** The parameters of the queries that charge a key for several calls; `parts` is JSON, so that one statement serves any number. */
type ChangeTogether = { keyId: string; total: number; count: number; parts: string };

/** Computes what the queries insert; a query template cannot compute. */
export function togetherParametersOf(keyId: string, parts: readonly ChargePart[]): ChangeTogether {
  const total = parts.reduce((sum, { used }) => sum + used, 0);
  return { keyId, total, count: parts.length, parts: JSON.stringify(parts) };
}

/** SQLite: takes the credits of all charges for good, where each charge would succeed and none could trigger auto-reload. */
export const takeTogether = template(({ db }, change: ChangeTogether) =>
  takeFromAccount(db, change, sql`select value ->> 'id' from json_each(${change.parts})`),
);

/** `ids`: a query of the ids of the charges. */
function takeFromAccount(
  db: QueryCreator<LedgerTables>,
  { keyId, total, count }: ChangeTogether,
  ids: RawBuilder<unknown>,
) {
  const mayReload = sql`reload_enabled = 1 and reload_purchase is null and available + held - ${total} < reload_threshold`;
  return db
    .updateTable('account')
    .set({
      available: sql<number>`available - ${total}`,
      version: sql<number>`version + ${count}`,
    })
    .where('key_id', '=', accountOf(db as LedgerQueries['db'], keyId).where('state', '=', 'active'))
    .where('available', '>=', total)
    .where(sql<boolean>`not (${mayReload})`)
    .where(sql<boolean>`not exists (select 1 from hold where hold.id in (${ids}))`)
    .returning(['key_id', 'available', 'held', 'version']);
}

/** PostgreSQL: charges a key for several calls in one round trip. Of two statements with the same id, one fails, and is tried again. */
export const chargeTogetherInOneStatement = template(({ db }, change: ChangeTogether) => ({
  compile: () =>
    sql<{ available: number }>`
      with part as materialized (
        select * from json_to_recordset(${change.parts}::json)
          as one (id text, used bigint, at bigint, day text, endpoint text, place bigint, later bigint)
      ), settled as (${takeFromAccount(db, change, sql`select id from part`)}),
      charged as (
        select part.*, key_id, settled.available, held, version - ${change.count}::bigint + place as version,
          nullif(${change.keyId}::text, key_id) as spent_by
        from settled cross join part
      ), placed as (
        insert into hold (id, key_id, amount, used, state, expires_at, spent_by, endpoint)
        select id, key_id, used, used, 'captured', at, spent_by, endpoint from charged
      ), noted as (
        insert into entry (key_id, version, kind, contra, ref, delta, balance, at, spent_by, endpoint)
        select key_id, version, 'usage', 'revenue', id, -used, available + held + later, at, spent_by, endpoint
        from charged
      ), counted as (
        insert into usage_day (key_id, day, credits, spent_by, endpoint, calls)
        select key_id, day, sum(used), coalesce(spent_by, ''), coalesce(endpoint, ''), count(*)
        from charged group by key_id, day, spent_by, endpoint
        on conflict (key_id, day, spent_by, endpoint) do update
        set credits = usage_day.credits + excluded.credits, calls = usage_day.calls + excluded.calls
      )
      select available from settled`.compile(db),
}));
