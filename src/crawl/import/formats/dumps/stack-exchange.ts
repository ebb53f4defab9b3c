import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { decodeXML } from 'entities';
import { PAGE_BYTES_MAX } from '../../../../contract/limits.ts';
import { openSqlite } from '../../../../platform/store/open-sqlite.ts';
import { makePrivateFolder } from '../../../../platform/store/private-files.ts';
import type { ByteSource } from '../../bytes/byte-reader.ts';
import { openByteReader } from '../../bytes/byte-reader.ts';
import type { FileFormat, SourcePage } from '../json-lines.ts';

const ANSWERS_PER_STEP = 2_000;

const LINE_BYTES_MAX = 1 << 20;
/** Maximum answers of a question; the accepted one comes first. */
const ANSWERS_MAX = 20;
const LICENCE = 'CC BY-SA 4.0 (2.5 and 3.0 for older posts)';

type Row = Record<string, string>;

/**
 * Stack Exchange dumps; a question with its answers is a page. Answers come anywhere after their question, so they are sorted by question
 * into a file first, a step that also resumes.
 */
export const STACK_EXCHANGE: FileFormat = {
  name: 'Stack Exchange',
  files: /(?:^|[\\/])Posts\.xml(?:\.gz|\.zst)?$/i,
  async *read(source, { from, address: { baseUrl }, scratch, signal }) {
    const base = (baseUrl ?? inferSiteUrl(source))?.replace(/\/$/, '');
    if (base === undefined)
      throw new Error(`${source.name}: name the site, such as --base-url https://unix.stackexchange.com`);
    makePrivateFolder(scratch);
    const file = createHash('sha256').update(source.name).digest('hex').slice(0, 16);
    const answers = openAnswers(join(scratch, `${file}.db`));
    try {
      await sortAnswers(source, answers, signal);
      const [origin = 0, offset = 0] = from ?? [];
      const reader = await openByteReader(source, [origin, offset]);
      while (!signal.aborted) {
        const line = await reader.readLine(LINE_BYTES_MAX);
        if (line === null) return;
        const row = line.isCut ? null : parseRow(line.text);
        if (row?.PostTypeId !== '1') continue;
        const found = { after: reader.place(), position: reader.position() };
        yield { ...found, page: buildPage(row, answers.of(Number(row.Id), ANSWERS_MAX), base) };
      }
    } finally {
      answers.close();
    }
  },
  async originOf(source) {
    return { source: inferSiteUrl(source)?.replace('https://', '') ?? 'Stack Exchange', licence: LICENCE };
  },
};

/** Infers the site from the folder: dumps are unpacked into folders named after their site. */
function inferSiteUrl({ name }: ByteSource): string | null {
  const folder = basename(dirname(name));
  return /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}$/.test(folder) ? `https://${folder}` : null;
}

async function sortAnswers(source: ByteSource, answers: Answers, signal: AbortSignal): Promise<void> {
  const begun = answers.place();
  if (begun === 'done') return;
  const reader = await openByteReader(source, [begun[0] ?? 0, begun[1] ?? 0]);
  while (!signal.aborted) {
    const line = await reader.readLine(LINE_BYTES_MAX);
    if (line === null) return answers.finish();
    const row = line.isCut ? null : parseRow(line.text);
    if (row?.PostTypeId !== '2') continue;
    const [id = 0, question = 0, score = 0] = [row.Id, row.ParentId, row.Score].map(Number);
    // A row without these numbers is damaged.
    if ([id, question, score].every(Number.isSafeInteger))
      answers.add({ id, question, score, body: row.Body ?? '' }, reader.place());
  }
}

const ATTRIBUTE = /\s([A-Za-z]{1,40})="([^"]*)"/g;

/** Parses the attributes of a row; null if the line is not a row. */
function parseRow(line: string): Row | null {
  if (!/^\s{0,20}<row\s/.test(line)) return null;
  return Object.fromEntries(
    [...line.matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [name, decodeXML(value)]),
  );
}

type Answer = { id: number; score: number; body: string };

function buildPage(row: Row, answers: Answer[], base: string): SourcePage {
  const accepted = Number(row.AcceptedAnswerId);
  const ordered = answers.toSorted(
    (one, other) => Number(other.id === accepted) - Number(one.id === accepted),
  );
  const title = (row.Title ?? '').trim();
  const parts = [`<h1>${escapeHtml(title)}</h1>`, row.Body ?? ''];
  let bytes = parts.join('').length;
  for (const { id, score, body } of ordered) {
    bytes += body.length;
    if (bytes > PAGE_BYTES_MAX / 4) break;
    parts.push(`<h2>${id === accepted ? 'Accepted answer' : 'Answer'}, score ${score}</h2>`, body);
  }
  const html = `<!doctype html><title>${escapeHtml(title)}</title><main><article>${parts.join('\n')}</article></main>`;
  return {
    url: `${base}/questions/${row.Id}`,
    title,
    body: { bytes: new TextEncoder().encode(html), contentType: 'text/html; charset=utf-8' },
    fetchedAt: Date.parse(`${row.LastActivityDate ?? row.CreationDate}Z`) || null,
    publishedDay: (row.CreationDate ?? '').slice(0, 10),
  };
}

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

type StoredAnswer = { id: number; question: number; score: number; body: string };

/** The answers of a dump by question, kept in a file because they need not fit into memory. */
type Answers = {
  /** Returns the place up to which the dump has been sorted. */
  place(): readonly number[] | 'done';
  /** Adds an answer; `after` is the place behind it. Writes in batches; answers lost in a kill are read again. */
  add(answer: StoredAnswer, after: readonly number[]): void;
  finish(): void;
  /** Returns the best answers of a question, best first. */
  of(question: number, limit: number): Omit<StoredAnswer, 'question'>[];
  close(): void;
};

/** Opens the file; creates it if absent. */
function openAnswers(path: string): Answers {
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
