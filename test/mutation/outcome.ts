/** How a suite ended. */
export type Outcome =
  | { kind: 'passed' }
  /** `test` is the first test that failed. */
  | { kind: 'failed'; test: string }
  | { kind: 'time' }
  | { kind: 'memory' };

/** Name of the failed test in a line of TAP, or null. Tests marked TODO may fail. */
export function failedTest(line: string): string | null {
  const [, name = null] = /^ *not ok \d+(?: - (.*))?$/.exec(line) ?? [];
  if (name === null || / # TODO\b/.test(name)) return null;
  return name.replace(/\\([#\\])/g, '$1');
}

/** `killed, failed test: holds are settled once` */
export function describeOutcome(outcome: Outcome): string {
  if (outcome.kind === 'passed') return 'SURVIVED';
  if (outcome.kind === 'failed') return `killed, failed test: ${outcome.test}`;
  return outcome.kind === 'time' ? 'killed, out of time' : 'killed, out of memory';
}

/** Kills by kind: `66 by a failed test, 1 by time, 0 by memory` */
export function countKills(outcomes: Outcome[]): string {
  const count = (kind: Outcome['kind']): number => outcomes.filter((outcome) => outcome.kind === kind).length;
  return `${count('failed')} by a failed test, ${count('time')} by time, ${count('memory')} by memory`;
}
