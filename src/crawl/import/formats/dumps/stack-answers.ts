import { openSqlite } from '../../../../platform/store/open-sqlite.ts';

type StoredAnswer = { id: number; question: number; score: number; body: string };

/** The answers of a dump by question, kept in a file because they need not fit into memory. */
export type Answers = {
  /** Returns the place up to which the dump has been sorted. */
  place(): readonly number[] | 'done';
  /** Adds an answer; `after` is the place behind it. Writes in batches; answers lost in a kill are read again. */
  add(answer: StoredAnswer, after: readonly number[]): void;
  finish(): void;
  /** Returns the best answers of a question, best first. */
  of(question: number, limit: number): Omit<StoredAnswer, 'question'>[];
  close(): void;
};

const ANSWERS_PER_STEP = 2_000;

/** Opens the file; creates it if absent. */
export function openAnswers(path: string): Answers {
  const database = openSqlite(path);
  database.exec(`
    create table if not exists answer (
      question integer not null, score integer not null, id integer not null, body text not null,
      primary key (question, score desc, id)
    ) strict, without rowid;
    create table if not exists place (id integer primary key check (id = 1), place text not null) strict;
  `);
  const insert = database.prepare(
    'insert or replace into answer (question, score, id, body) values (?, ?, ?, ?)',
  );
  const best = database.prepare(
    'select id, score, body from answer where question = ? order by score desc, id limit ?',
  );
  const setPlace = database.prepare('insert or replace into place values (1, ?)');
  const findPlace = database.prepare('select place from place');
  let waiting: { answer: StoredAnswer; after: readonly number[] }[] = [];
  const write = (): void => {
    const last = waiting.at(-1);
    if (last === undefined) return;
    database.exec('begin immediate');
    for (const { answer } of waiting) insert.run(answer.question, answer.score, answer.id, answer.body);
    setPlace.run(JSON.stringify(last.after));
    database.exec('commit');
    waiting = [];
  };
  return {
    place() {
      const row = findPlace.get();
      // Written only by this module.
      return row === undefined ? [0, 0] : (JSON.parse(String(row.place)) as number[] | 'done');
    },
    add(answer, after) {
      waiting.push({ answer, after });
      if (waiting.length >= ANSWERS_PER_STEP) write();
    },
    finish() {
      write();
      setPlace.run(JSON.stringify('done'));
    },
    of: (question, limit) => best.all(question, limit) as Omit<StoredAnswer, 'question'>[],
    close: () => database.close(),
  };
}
