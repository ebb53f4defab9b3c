// Loaded before a program (`node --import`): as it ends, it prints what the process took.
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread)
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, megabytes: maxRSS / 1_024 };
    writeSync(1, `usage ${JSON.stringify(usage)}\n`);
  });
