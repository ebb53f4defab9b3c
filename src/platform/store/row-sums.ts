/**
 * Checksums of rows, by which a flipped bit is found: SQLite itself checks the structure of a file, not the content of its rows. Triggers keep,
 * for each group of rows of each table, the sum of their checksums, in the transaction that changes them; `findDamage` reads everything and
 * compares. A table that gains a column, or is new, is summed when the file is next opened for writing.
 */
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/** Rows of a group: few, so that a damaged row is named closely, but enough that the sums take little space. */
const GROUP_ROWS = 16;
/** Beyond this many, damaged groups of a table are counted and not named. */
const NAMED_MAX = 10;
const BYTES = Buffer.alloc(4_096);
/** The sum of the schema itself is kept under this name. */
const SCHEMA = 'sqlite_schema';
const SUMS_TABLE = `create table if not exists row_sum (
  of_table text not null,
  rows integer not null,
  sum integer not null,
  primary key (of_table, rows)
) strict, without rowid;`;

type Table = { name: string; integers: string[]; others: string[]; hasRowid: boolean };
/** Says what the rows of a table from a first to a last row id are; null: nothing is known about them. */
export type NameRows = (table: string, first: number, last: number) => string | null;
type SumTriggers = { name: string; sql: string }[];

/** Registers the function that computes the checksum of values; every connection that writes or checks needs it. */
export function registerRowChecksum(database: DatabaseSync): void {
  database.function('row_checksum', { varargs: true, deterministic: true }, computeChecksum);
  // Without this, a row that `insert or replace` removes would stay in the sums.
  database.exec('PRAGMA recursive_triggers = ON;');
}

/** CRC-32 over the values, each with its type, so that neither a value nor the border between two can change unnoticed. */
function computeChecksum(...values: readonly unknown[]): number {
  let sum = 0;
  let end = 0;
  for (const value of values) {
    if (end > BYTES.length - 16) {
      sum = crc32(BYTES.subarray(0, end), sum);
      end = 0;
    }
    if (value === null) BYTES[end++] = 0;
    else if (typeof value === 'number') {
      BYTES[end] = 2;
      BYTES.writeDoubleLE(value, end + 1);
      end += 9;
    } else if (typeof value === 'string' && value.length * 3 + 5 <= BYTES.length - end) {
      BYTES[end] = 3;
      const length = BYTES.write(value, end + 5, 'utf8');
      BYTES.writeUInt32LE(length, end + 1);
      end += 5 + length;
    } else {
      const bytes = typeof value === 'string' ? value : (value as Uint8Array);
      BYTES[end] = typeof value === 'string' ? 4 : 5;
      BYTES.writeUInt32LE(bytes.length, end + 1);
      sum = crc32(bytes, crc32(BYTES.subarray(0, end + 5), sum));
      end = 0;
    }
  }
  return end === 0 ? sum : crc32(BYTES.subarray(0, end), sum);
}

/** Creates the sums and the triggers that keep them, where they are missing or out of date. Must run after the file's migrations. */
export function ensureRowSums(database: DatabaseSync): void {
  database.exec('begin immediate');
  try {
    database.exec(SUMS_TABLE);
    const stored = new Map(
      database
        .prepare(`select name, sql from sqlite_schema where type = 'trigger' and name like 'row_sum_%'`)
        .all()
        .map(({ name, sql }) => [String(name), String(sql)]),
    );
    const isNew = database.prepare('select 1 from row_sum limit 1').get() === undefined;
    let isChanged = isNew;
    for (const table of listTables(database)) {
      const triggers = buildTriggers(table);
      if (!isNew && triggers.every(({ name, sql }) => stored.get(name.slice(1, -1)) === sql)) continue;
      isChanged = true;
      for (const { name, sql } of triggers) database.exec(`drop trigger if exists ${name}; ${sql}`);
      database.prepare('delete from row_sum where of_table = ?').run(table.name);
      database.exec(`insert into row_sum ${selectSums(table)}`);
    }
    if (isChanged)
      database.prepare('insert or replace into row_sum values (?, 0, ?)').run(SCHEMA, sumSchema(database));
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Makes the next opening sum everything again: a file that is rewritten may number its rows anew. */
export function forgetRowSums(database: DatabaseSync): void {
  database.exec(`${SUMS_TABLE} delete from row_sum;`);
}

/** Lists the tables of a file, or only those that have sums: a table that was created since is summed at the next opening. */
function listTables(database: DatabaseSync, { areSummed = false }: { areSummed?: boolean } = {}): Table[] {
  const names = database
    .prepare(
      `select name, wr from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' and name <> 'row_sum'
       ${areSummed ? `and name in (${SUMMED_TABLES})` : ''} order by name`,
    )
    .all();
  const columns = database.prepare('select name, type from pragma_table_info(?) order by cid');
  return names.map(({ name, wr }) => {
    const all = columns
      .all(String(name))
      .map((column) => ({ name: String(column.name), type: String(column.type) }));
    const isInteger = ({ type }: { type: string }): boolean => /int/i.test(type);
    const namesOf = (some: { name: string }[]): string[] => some.map((column) => column.name);
    return {
      name: String(name),
      integers: namesOf(all.filter(isInteger)),
      others: namesOf(all.filter((column) => !isInteger(column))),
      hasRowid: wr === 0,
    };
  });
}

const quote = (name: string): string => `"${name}"`;

/** Returns the SQL of a row's group. Tables without row ids are small, and one group. */
const buildGroup = ({ hasRowid }: Table, row: string): string =>
  hasRowid ? `${row}rowid / ${GROUP_ROWS}` : '0';

/**
 * Returns the SQL of the sum of integers: each half times an odd number of its own, so that a changed bit changes the sum and nothing
 * overflows. Unlike a checksum it needs no call out of SQLite, and the busiest columns of a ledger are integers.
 */
const buildIntegerSum = ({ integers }: Table, row: string): string =>
  integers
    .map((name, at) => {
      const value = `ifnull(${row}${quote(name)}, ${NULL_VALUE})`;
      return `${4 * at + 3} * (${value} & ${LOW_HALF}) + ${4 * at + 5} * (${value} >> 32)`;
    })
    .join(' + ') || '0';
const LOW_HALF = 0xffffffff;
/** Stands for null; no column holds it. */
const NULL_VALUE = -7_919;

const buildChecksum = ({ others, hasRowid }: Table, row: string): string =>
  others.length === 0
    ? '0'
    : `row_checksum(${[...(hasRowid ? ['rowid'] : []), ...others.map(quote)].map((name) => row + name).join(', ')})`;

const buildRowSum = (table: Table, row: string): string =>
  `${buildChecksum(table, row)} + ${buildIntegerSum(table, row)}`;

function buildTriggers(table: Table): SumTriggers {
  const { name, integers, others } = table;
  const add = (row: string, sum: string): string =>
    `insert into row_sum values ('${name}', ${buildGroup(table, row)}, ${sum}) on conflict do update set sum = sum + excluded.sum;`;
  const build = (suffix: string, event: string, sum: string): SumTriggers[number] => {
    const trigger = quote(`row_sum_${suffix}_${name}`);
    const row = event === 'delete' ? 'old.' : 'new.';
    // Sums of rows that are gone would pile up, because row ids only grow.
    const clear =
      event === 'delete'
        ? ` delete from row_sum where of_table = '${name}' and rows = ${buildGroup(table, row)} and sum = 0;`
        : '';
    return {
      name: trigger,
      sql: `CREATE TRIGGER ${trigger} after ${event} on ${quote(name)} begin ${add(row, sum)}${clear} end`,
    };
  };
  // Row ids never change, so an update stays in its group.
  const change = (suffix: string, columns: string[], sum: (row: string) => string): SumTriggers =>
    columns.length === 0
      ? []
      : [build(suffix, `update of ${columns.map(quote).join(', ')}`, `${sum('new.')} - (${sum('old.')})`)];
  return [
    build('insert', 'insert', buildRowSum(table, 'new.')),
    build('delete', 'delete', `-(${buildRowSum(table, 'old.')})`),
    ...change('integers', integers, (row) => buildIntegerSum(table, row)),
    ...change('others', others, (row) => buildChecksum(table, row)),
  ];
}

const selectSums = (table: Table): string =>
  `select '${table.name}' as of_table, ${buildGroup(table, '')} as rows, sum(${buildRowSum(table, '')}) as sum from ${quote(table.name)} group by 2`;

/** Returns the checksum of the definitions of all summed tables. Where a table begins in the file is left out, because it may move. */
function sumSchema(database: DatabaseSync): number {
  const rows = database
    .prepare(
      `select type, name, tbl_name, sql from sqlite_schema where tbl_name in (${SUMMED_TABLES}) order by type, name`,
    )
    .all();
  return computeChecksum(...rows.flatMap((row) => Object.values(row)));
}
const SUMMED_TABLES = `select tbl_name from sqlite_schema where type = 'trigger' and name like 'row_sum_insert_%'`;

/**
 * Checks a whole file: its structure, its indexes, and every row against the sums, in one snapshot. Returns what is damaged, in words; empty
 * if nothing is. `nameRows` describes the rows of a table from a first to a last row id. Takes time proportional to the size of the file.
 */
export function findDamage(database: DatabaseSync, nameRows: NameRows = () => null): string[] {
  const problems: string[] = [];
  const attempt = (what: string, check: () => void): void => {
    try {
      check();
    } catch (error) {
      problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  attempt('the file', () => {
    for (const row of database.prepare('pragma integrity_check(10)').all())
      if (row.integrity_check !== 'ok') problems.push(String(row.integrity_check));
  });
  let tables: Table[] = [];
  attempt('the definitions of the tables', () => {
    tables = listTables(database, { areSummed: true });
    const kept = database.prepare('select sum from row_sum where of_table = ?').get(SCHEMA);
    if (kept !== undefined && Number(kept.sum) !== sumSchema(database))
      problems.push('the definitions of the tables are damaged');
  });
  for (const table of tables)
    attempt(`table ${table.name}`, () => {
      const damaged = database
        .prepare(
          `select coalesce(kept.rows, found.rows) as rows
           from (select rows, sum from row_sum where of_table = '${table.name}' and sum <> 0) as kept
           full join (select * from (${selectSums(table)}) where sum <> 0) as found on found.rows = kept.rows
           where kept.sum is not found.sum order by 1`,
        )
        .all()
        .map(({ rows }) => Number(rows));
      for (const group of damaged.slice(0, NAMED_MAX)) problems.push(describe(table, group, nameRows));
      if (damaged.length > NAMED_MAX)
        problems.push(`table ${table.name}: ${damaged.length - NAMED_MAX} more groups of rows are damaged`);
    });
  return problems;
}

function describe({ name, hasRowid }: Table, group: number, nameRows: NameRows): string {
  if (!hasRowid) return `table ${name}: a row is damaged`;
  const [first, last] = [group * GROUP_ROWS, (group + 1) * GROUP_ROWS - 1];
  const named = nameRows(name, first, last);
  return `table ${name}: a row from ${first} to ${last} is damaged${named === null ? '' : ` (${named})`}`;
}
