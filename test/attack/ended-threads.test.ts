import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { zipOf } from '../fixtures/zip.ts';

const THREADS = 60;

/** Unpacks the files of an archive until it is ended, as the thread of a hostile Office file is. */
const SCRIPT = `
import { parentPort, workerData } from 'node:worker_threads';
const { openZip } = await import(workerData.module);
parentPort.postMessage('begun');
const zip = openZip(workerData.archive);
for (;;) zip.bytes('a.xml');
`;

test('a thread that is ended while it unpacks a file takes nothing with it', async () => {
  const workerData = {
    module: pathToFileURL('src/pages/formats/office/zip.ts').href,
    archive: new Uint8Array(zipOf({ 'a.xml': '<a/>'.repeat(10) })),
  };
  const url = new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`);
  for (let ended = 0; ended < THREADS; ended += 1) {
    const worker = new Worker(url, { workerData });
    await once(worker, 'message');
    assert.equal(await worker.terminate(), 1);
  }
});
