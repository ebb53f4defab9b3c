import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { compileOnly } from './group-commit.ts';
import { createTemplate } from './procedure.ts';

type Parameters = { id: string; used: number };

const endHold = createTemplate(({ db }, { id, used }: Parameters) =>
  db
    .updateTable('hold')
    .set({ state: 'captured', used, amount: sql<number>`amount - ${used}` })
    .where('id', '=', id),
);

describe('a template', () => {
  for (const dialect of ['sqlite', 'postgres'] as const)
    test(`compiles on ${dialect} to the same SQL as a new query`, () => {
      const ledgerStore = compileOnly(dialect);
      for (const parameters of [
        { id: 'a', used: 1 },
        { id: 'b', used: 0 },
      ]) {
        const { sql: text, parameters: values } = endHold(ledgerStore, parameters).compile();
        const built = ledgerStore.db
          .updateTable('hold')
          .set({
            state: 'captured',
            used: parameters.used,
            amount: sql<number>`amount - ${parameters.used}`,
          })
          .where('id', '=', parameters.id)
          .compile();
        assert.deepEqual({ text, values }, { text: built.sql, values: built.parameters });
      }
    });

  test('is built once for each dialect', () => {
    let made = 0;
    const counted = createTemplate(({ db }, { id }: { id: string }) => {
      made += 1;
      return db.selectFrom('hold').selectAll().where('id', '=', id);
    });
    const [lite, other] = [compileOnly('sqlite'), compileOnly('postgres')];
    for (const ledgerStore of [lite, lite, other, lite]) counted(ledgerStore, { id: 'a' }).compile();
    assert.equal(made, 2);
    assert.match(counted(other, { id: 'a' }).compile().sql, /\$1/);
  });

  test('must not compute with a parameter', () => {
    const wrong = createTemplate(({ db }, { used }: { used: number }) =>
      db.updateTable('hold').set({ used: used + 1 }),
    );
    assert.throws(() => wrong(compileOnly('sqlite'), { used: 1 }), /must not compute.*used/);
  });
});
