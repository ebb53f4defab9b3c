import { styleText } from 'node:util';

/** The outcome of a check. `off` is not a fault. */
export type Verdict = { mark: 'ok' | 'off' | 'warning' | 'failure'; text: string };

const MARKS = {
  ok: styleText('green', 'ok     '),
  off: styleText('dim', 'off    '),
  warning: styleText('yellow', 'warning'),
  failure: styleText('red', 'FAILURE'),
};
/** Column width; fits the longest name of a check or a source. */
const NAME_CHARS = 15;

export const toOk = (text: string): Verdict => ({ mark: 'ok', text });
export const toWarning = (text: string): Verdict => ({ mark: 'warning', text });
export const toFailure = (text: string): Verdict => ({ mark: 'failure', text });

/** Prints one line on standard output. */
export function printVerdict(name: string, { mark, text }: Verdict): void {
  process.stdout.write(`${MARKS[mark]} ${name.padEnd(NAME_CHARS)} ${text}\n`);
}
