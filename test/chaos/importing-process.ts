/** Imports a path into a data folder: importing-process.ts <data folder> <path>. Prints a line at the start, after each batch and at the end, there with what it took. */

import { createServices } from '../../src/app/compose-services.ts';
import { readConfig } from '../../src/app/config.ts';

const [folder = '', path = ''] = process.argv.slice(2);
const services = await createServices(readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent' }, new Set()));
// To a pipe each line is written at once.
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const summary = await services.importPages({
  ...{ path, baseUrl: null, signal: new AbortController().signal },
  onStart: () => print('start'),
  onProgress: ({ pages }) => print(`batch ${pages}`),
});
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, megabytes: maxRSS / 1_024 };
print(`end ${JSON.stringify({ ...summary, usage })}`);
await services.close();
