import { sql } from 'kysely';
import type { LedgerQueries } from '../../platform/store/ledger/procedure.ts';
import { template } from '../../platform/store/ledger/template.ts';
import { accountOf } from './account-queries.ts';
import {
  countUsageDay,
  type HoldArgs,
  insertDecidedPurchase,
  insertUsageEntry,
  type SettleParameters,
} from './hold-queries.ts';
import { reloadDecision } from './reload-decision.ts';

/** The parameters of the queries that charge at once: those of a settlement of everything, and who pays. */
export type ChargeParameters = SettleParameters & Pick<HoldArgs, 'keyId'> & { endpoint: string | null };

const CHARGED_ACCOUNT = [
  ...(['key_id', 'available', 'held', 'version'] as const),
  ...(['reload_purchase', 'reload_pack'] as const),
];

/** SQLite: takes credits for good, if the key is active, its account has enough and the id is new; decides on auto-reload. */
export const takeCredits = template(({ db }, change: ChargeParameters) =>
  takeFromAccount({ db }, change).returning(CHARGED_ACCOUNT),
);

function takeFromAccount({ db }: Pick<LedgerQueries, 'db'>, change: ChargeParameters) {
  return db
    .updateTable('account')
    .set({
      available: sql<number>`available - ${change.used}`,
      version: sql<number>`version + 1`,
      ...reloadDecision(change),
    })
    .where('key_id', '=', accountOf(db, change.keyId).where('state', '=', 'active'))
    .where('available', '>=', change.used)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('hold').select('hold.id').where('hold.id', '=', change.id))),
    );
}

/** SQLite: a hold that has ended with everything used, by which the charge can be refunded. */
export const insertCaptured = template(
  ({ db }, { id, account, used, at, spentBy, endpoint }: ChargeParameters & PaidBy) =>
    db.insertInto('hold').values({
      ...{ id, key_id: account, amount: used, used, state: 'captured', expires_at: at },
      ...{ spent_by: spentBy, endpoint },
    }),
);

type PaidBy = { account: string; spentBy: string | null };

/** SQLite: what a charge under an id has taken, and what its key could still spend. */
export const chargeStanding = template(({ db }, { keyId, id }: Pick<HoldArgs, 'keyId' | 'id'>) =>
  standing(db, { keyId, id }),
);

function standing(db: LedgerQueries['db'], { keyId, id }: Pick<HoldArgs, 'keyId' | 'id'>) {
  return db
    .selectFrom('account')
    .select([
      'available',
      sql<number>`coalesce((select used from hold where id = ${id} and state = 'captured'), 0)`.as('charged'),
      sql<string | null>`null`.as('reload_purchase'),
    ])
    .where('key_id', '=', accountOf(db, keyId));
}

/** PostgreSQL: charges in one round trip. Of two with the same id, the insertion of one fails, and is tried again. */
export const chargeInOneStatement = template(({ db }, change: ChargeParameters) =>
  db
    .with('settled', (part) =>
      takeFromAccount({ db: part as LedgerQueries['db'] }, change).returning([
        ...CHARGED_ACCOUNT,
        sql<string | null>`nullif(${change.keyId}::text, account.key_id)`.as('spent_by'),
        sql<string | null>`${change.endpoint}::text`.as('endpoint'),
      ]),
    )
    .with('placed', (part) =>
      part
        .insertInto('hold')
        .columns(['id', 'key_id', 'amount', 'used', 'state', 'expires_at', 'spent_by', 'endpoint'])
        .expression(
          part
            .selectFrom('settled')
            .select((is) => [
              sql<string>`${change.id}::text`.as('id'),
              is.ref('settled.key_id').as('key_id'),
              sql<number>`${change.used}::bigint`.as('amount'),
              sql<number>`${change.used}::bigint`.as('used'),
              sql<'captured'>`'captured'`.as('state'),
              sql<number>`${change.at}::bigint`.as('expires_at'),
              is.ref('settled.spent_by').as('spent_by'),
              is.ref('settled.endpoint').as('endpoint'),
            ]),
        ),
    )
    .with('bought', (part) => insertDecidedPurchase(part, change))
    .with('noted', (part) => insertUsageEntry(part, change))
    .with('counted', (part) => countUsageDay(part, change))
    .selectFrom('settled')
    .select(['available', sql<number>`${change.used}::bigint`.as('charged'), 'reload_purchase'])
    .unionAll(standing(db, change).where(sql<boolean>`not exists (select from settled)`)),
);
