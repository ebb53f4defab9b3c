import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createChain, type Steps } from './procedure.ts';

type Rows = { taken: { amount: number }; noted: { version: number } };

const chain = createChain<{ id: string; most: number; unread: string }, Rows>({
  types: { id: 'text', unread: 'text', most: 'bigint' },
  parts: [
    {
      name: 'taken',
      locks: 'account',
      sql: 'select amount from account where id = :input.id and amount < :input.most',
    },
    {
      name: 'noted',
      sql: 'insert into note select :input.id, :taken.amount :from where :taken.amount > 0 returning version',
    },
  ],
  results: ['taken', 'noted'],
});

/** Runs a chain on made-up rows, one list for each of its queries. Returns the queries and the result. */
function runOn(rows: object[][], steps: Steps<Partial<Rows>>) {
  const queries: { sql: string; parameters: readonly unknown[] }[] = [];
  let step = steps.next();
  for (const reply of rows) {
    assert.equal(step.done, false, 'the chain has a query for each list of rows');
    if (step.done) break;
    const { sql, parameters } = step.value.compile();
    queries.push({ sql, parameters });
    step = steps.next(reply);
  }
  assert.equal(step.done, true, 'the chain has no more queries');
  return { queries, result: step.value };
}

const input = { id: 'a', unread: 'b', most: 9 };

describe('a chain', () => {
  test('is one statement on PostgreSQL, with the parameters that its parts read', () => {
    const rows = [[{ taken: { amount: 2 }, noted: null }]];
    const { queries, result } = runOn(rows, chain({ dialect: 'postgres' }, input));
    assert.deepEqual(queries, [
      {
        sql:
          'with taken as (select amount from account where id = cast($1 as text) and amount < cast($2 as bigint) for update of account), ' +
          'noted as (insert into note select cast($1 as text), taken.amount from taken where taken.amount > 0 returning version) ' +
          'select (select to_jsonb(taken) from taken) as taken, (select to_jsonb(noted) from noted) as noted',
        parameters: ['a', 9],
      },
    ]);
    assert.deepEqual(result, { taken: { amount: 2 } });
  });

  test('is a statement for each part on SQLite, which receives the rows of earlier parts', () => {
    const { queries, result } = runOn(
      [[{ amount: 2 }], [{ version: 7 }]],
      chain({ dialect: 'sqlite' }, input),
    );
    assert.deepEqual(queries, [
      { sql: 'select amount from account where id = ? and amount < ?', parameters: ['a', 9] },
      { sql: 'insert into note select ?, ?  where ? > 0 returning version', parameters: ['a', 2, 2] },
    ]);
    assert.deepEqual(result, { taken: { amount: 2 }, noted: { version: 7 } });
  });

  test('ends on SQLite with the first part that returns no row', () => {
    const { result } = runOn([[]], chain({ dialect: 'sqlite' }, input));
    assert.deepEqual(result, {});
  });
});
