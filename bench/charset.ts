/** Measures how often bytes are decoded as by their labelled encoding, and how often declarations are found. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decode } from '../src/pages/formats/decode.ts';

type Sample = { id: string; encoding: string; base64: string };

const folder = join(process.env.EVAL_DATA ?? '../shared/data', 'charset_detection');
if (!existsSync(folder)) {
  console.error(`${folder} is absent: set EVAL_DATA to the folder of the evaluation data`);
  process.exit(1);
}
const samples = (text: string): Sample[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Sample);

detection(samples(gunzipSync(readFileSync(join(folder, 'chardet_tests.jsonl.gz'))).toString()));
prescan(samples(readFileSync(join(folder, 'html5lib_encoding.jsonl'), 'utf8')));

function detection(all: Sample[]): void {
  const wrong = new Map<string, number>();
  const times: number[] = [];
  let right = 0;
  let skipped = 0;
  for (const { encoding, base64 } of all) {
    const expected = labelled(base64, encoding);
    if (expected === null) {
      skipped += 1;
      continue;
    }
    const started = performance.now();
    const got = decode(Buffer.from(base64, 'base64'), null);
    times.push(performance.now() - started);
    if (got.text === expected) right += 1;
    else
      wrong.set(
        `${encoding} read as ${got.encoding}`,
        (wrong.get(`${encoding} read as ${got.encoding}`) ?? 0) + 1,
      );
  }
  const tried = all.length - skipped;
  times.sort((a, b) => a - b);
  console.log(
    `same text: ${right} of ${tried} (${percent(right, tried)}), ${skipped} in encodings no browser knows`,
  );
  console.log(
    `median ${times[times.length >> 1]?.toFixed(2)} ms, p95 ${times[Math.floor(times.length * 0.95)]?.toFixed(2)} ms`,
  );
  for (const [what, count] of [...wrong].sort((a, b) => b[1] - a[1])) console.log(`  ${count} × ${what}`);
}

function prescan(all: Sample[]): void {
  let right = 0;
  for (const { id, encoding, base64 } of all) {
    const found = decode(Buffer.from(base64, 'base64'), null);
    const got = found.from === 'bom' || found.from === 'declared' ? found.encoding : 'windows-1252';
    if (got === new TextDecoder(encoding).encoding) right += 1;
    else console.log(`  ${id}: ${encoding} read as ${got}`);
  }
  console.log(`prescan: ${right} of ${all.length} labels right (${percent(right, all.length)})`);
}

function labelled(base64: string, encoding: string): string | null {
  try {
    return new TextDecoder(encoding).decode(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
