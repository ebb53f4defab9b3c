import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** What a child is asked for: its next page. */
export const NEXT = 'next';

/** Messages from a child to its parent: it is warm, a page's result, and that there are no more. */
export type Report =
  | { kind: 'warm' }
  | {
      kind: 'page';
      id: string;
      type: string;
      /** Its type or part of the set, and whether it may be fitted. */
      groups: string[];
      cpuMs: number;
      rssMb: number;
      f1: number;
      failed: boolean;
    }
  | { kind: 'end' };

type PageReport = Extract<Report, { kind: 'page' }>;
export type Run = { name: string; pages: PageReport[] };
type Sample = { set: string; small: boolean; pagesMax: number };

/**
 * Runs the extractors page by page in turn, each in a process of its own, so that what else the machine does slows all of them
 * alike.
 */
export async function sideBySide(names: string[], { set, small, pagesMax }: Sample): Promise<Run[]> {
  const script = join(import.meta.dirname, 'run-extractor.ts');
  const runs: { run: Run; child: ChildProcess }[] = [];
  for (const name of names) {
    const child = fork(script, [name, set, small ? 'small' : 'all']);
    await nextReport(child);
    runs.push({ run: { name, pages: [] }, child });
  }
  for (let page = 0; page < pagesMax; page += 1) {
    let ended = 0;
    for (const { run, child } of runs) {
      child.send(NEXT);
      const report = await nextReport(child);
      if (report.kind === 'page') run.pages.push(report);
      else ended += 1;
    }
    // All read the same pages.
    if (ended > 0) break;
  }
  for (const { child } of runs) child.kill('SIGKILL');
  return runs.map(({ run }) => run);
}

/** Resolves to the child's next message. */
function nextReport(child: ChildProcess): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  const fail = (code: number | null): void => reject(new Error(`a child ended with ${code}`));
  child.once('exit', fail);
  child.once('message', (report) => {
    child.off('exit', fail);
    // The child sends nothing else.
    resolve(report as Report);
  });
  return promise;
}
