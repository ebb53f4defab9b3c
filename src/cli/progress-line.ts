import type { Clock } from '../platform/clock.ts';

/**
 * The progress to show: `done` of `total` units (null: unknown), the singular name of the `unit`, further facts, and a detail that only
 * terminals show.
 */
export type Progress = { done: number; total: number | null; unit: string; facts: string[]; detail?: string };

type Stream = { isTTY?: boolean; columns?: number; write(text: string): unknown };

const BAR_CHARS = 24;
const COLUMNS_DEFAULT = 80;
const REDRAW_MS = 100;
const PLAIN_LINE_MS = 2_000;
const CLEAR_TO_END = '\x1b[K';

/** Shows progress on one line that is redrawn in place or, if the output is not a terminal, as a line every two seconds. */
export function createProgressLine(
  stream: Stream,
  clock: Clock,
): { show(progress: Progress): void; stop(): void } {
  const intervalMs = stream.isTTY ? REDRAW_MS : PLAIN_LINE_MS;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let undrawn: Progress | null = null;
  let isOpen = false;
  const draw = (progress: Progress): void => {
    undrawn = null;
    if (!stream.isTTY) {
      stream.write(`${formatPlainLine(progress)}\n`);
      return;
    }
    // One column stays free: some terminals wrap when the last one is written.
    const line = formatBarLine(progress, (stream.columns || COLUMNS_DEFAULT) - 1);
    stream.write(`\r${line}${CLEAR_TO_END}`);
    isOpen = true;
  };
  return {
    show(progress) {
      undrawn = progress;
      if (clock.now() - drawnAt < intervalMs) return;
      drawnAt = clock.now();
      draw(progress);
    },
    stop() {
      if (!stream.isTTY) return;
      if (undrawn !== null) draw(undrawn);
      if (isOpen) stream.write('\n');
      isOpen = false;
    },
  };
}

function formatPlainLine({ done, unit, facts }: Progress): string {
  return [formatCount(done, unit), ...facts].join(', ');
}

/** Formats the line of a terminal. Facts that do not fit are left out, because a cut number would be misread; only the detail is cut. */
function formatBarLine({ done, total, unit, facts, detail }: Progress, columns: number): string {
  const count =
    total === null
      ? formatCount(done, unit)
      : `${formatBar(done, total)} ${done}/${formatCount(total, unit)}`;
  let line = count;
  for (const fact of facts) if (line.length + 2 + fact.length <= columns) line += `  ${fact}`;
  return `${line}${detail === undefined ? '' : `  ${detail}`}`.slice(0, columns);
}

function formatBar(done: number, total: number): string {
  const filled = total === 0 ? 0 : Math.round(Math.min(1, done / total) * BAR_CHARS);
  return '█'.repeat(filled) + '░'.repeat(BAR_CHARS - filled);
}

/** Formats a count: `1 page`, `2 pages`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
