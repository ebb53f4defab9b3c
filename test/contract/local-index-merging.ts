/** Merges the segments of an index, says so after some steps, and waits to be killed. Started with the path and the number of steps. */
import { openIndexWriter } from '../../src/index/index-writer.ts';

const [path = '', steps = '1'] = process.argv.slice(2);
const writer = openIndexWriter(path);
for (let step = 0; step < Number(steps); step += 1) writer.upkeep(null);
process.stdout.write('merging\n');
setInterval(() => {}, 1_000);
