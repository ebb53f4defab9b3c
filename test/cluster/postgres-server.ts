import { execFile } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './nodes.ts';

/** A PostgreSQL of a test's own, which may be restarted. */
export type TestPostgres = { url: string; restart(): Promise<void>; close(): Promise<void> };

const START_SECONDS_MAX = '60';
const run = promisify(execFile);

/** Null where none is installed; throws instead under continuous integration (`CI` is set). */
export async function startPostgres(): Promise<TestPostgres | null> {
  const [programs] = globSync('/usr/lib/postgresql/*/bin').toSorted().reverse();
  if (programs === undefined) {
    if (process.env.CI) throw new Error('no PostgreSQL is installed, and CI is set');
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  const as = await otherUser(folder);
  const call = (program: string, ...words: string[]) =>
    run(
      as === null ? join(programs, program) : 'runuser',
      [...(as === null ? [] : ['-u', as, '--', join(programs, program)]), ...words],
      { cwd: folder },
    );
  const control = (...words: string[]) => call('pg_ctl', '-D', data, '-w', '-t', START_SECONDS_MAX, ...words);
  await call('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '--no-sync');
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=200`;
  await control('-l', join(folder, 'log'), '-o', options, 'start');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async restart() {
      await control('-l', join(folder, 'log'), '-m', 'immediate', 'restart');
    },
    async close() {
      await control('-m', 'immediate', 'stop').catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root; the user that its package made takes the folder. */
async function otherUser(folder: string): Promise<string | null> {
  if (userInfo().uid !== 0) return null;
  const { stdout } = await run('id', ['-u', 'postgres']);
  chownSync(folder, Number(stdout), -1);
  return 'postgres';
}
