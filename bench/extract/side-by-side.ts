import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { SnippetCount } from './snippets.ts';

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
      kept: SnippetCount;
      leaked: SnippetCount;
      failed: boolean;
    }
  | { kind: 'end' };

type PageReport = Extract<Report, { kind: 'page' }>;
export type Run = { name: string; pages: PageReport[]; timedOut: number };
type Sample = { set: string; small: boolean; pagesMax: number; capMs: number };

/**
 * Runs the extractors page by page in turn, each in a process of its own, so that what else the machine does slows all of them
 * alike. A page that takes longer than the cap ends its process; the next one goes on behind it.
 */
export async function sideBySide(names: string[], sample: Sample): Promise<Run[]> {
  const runners = names.map((name) => new Runner(name, sample));
  for (const runner of runners) await runner.start();
  for (let page = 0; page < sample.pagesMax; page += 1) {
    for (const runner of runners) await runner.next(page);
    if (runners.every(({ ended }) => ended)) break;
  }
  for (const runner of runners) runner.stop();
  return runners.map(({ run }) => run);
}

class Runner {
  readonly run: Run;
  ended = false;
  readonly #sample: Sample;
  #child: ChildProcess | null = null;

  constructor(name: string, sample: Sample) {
    this.run = { name, pages: [], timedOut: 0 };
    this.#sample = sample;
  }

  /** Starts the process, which leaves out the pages that are done. */
  async start(skip = 0): Promise<void> {
    const { set, small } = this.#sample;
    const script = join(import.meta.dirname, 'run-extractor.ts');
    this.#child = fork(script, [this.run.name, set, small ? 'small' : 'all', String(skip)]);
    await this.#report();
  }

  async next(page: number): Promise<void> {
    if (this.ended) return;
    this.#child?.send(NEXT);
    const report = await this.#report(this.#sample.capMs);
    if (report === null) {
      this.run.timedOut += 1;
      this.stop();
      await this.start(page + 1);
    } else if (report.kind === 'page') this.run.pages.push(report);
    else if (report.kind === 'end') this.ended = true;
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

  /** The child's next message, or null when it takes too long. */
  #report(capMs?: number): Promise<Report | null> {
    const child = this.#child;
    if (child === null) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const done = (report: Report | null): void => {
        clearTimeout(timer);
        child.off('message', done);
        child.off('exit', fail);
        resolve(report);
      };
      const fail = (code: number | null): void =>
        reject(new Error(`${this.run.name}: the child ended with ${code}`));
      const timer = capMs === undefined ? undefined : setTimeout(() => done(null), capMs);
      child.on('message', done);
      child.on('exit', fail);
    });
  }
}
