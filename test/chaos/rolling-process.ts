/** Rolls the ledger in small steps until it is killed: rolling-process.ts <task as JSON> */
import { enableCompileCache } from 'node:module';

export type RollingTask = { dataDir: string; databaseUrl: string | null; now: number };

const task: RollingTask = JSON.parse(process.argv[2] ?? '');
enableCompileCache();
const { createBilling } = await import('../../src/app/compose-billing.ts');
const { createRetention } = await import('../../src/billing/retention/retention.ts');
const { createLog } = await import('../../src/platform/log.ts');
const clock = { now: () => task.now };
const { ledgerStore: opened } = await createBilling(task, { log: createLog('silent'), clock });
console.log('rolling');
const ledgerStore: typeof opened = {
  ...opened,
  async run(procedure, args) {
    const result = await opened.run(procedure, args);
    console.log(procedure.name);
    return result;
  },
};
const retention = createRetention({ ledgerStore, clock, detailDays: 90, rowsAtOnce: 3, pauseMs: 5 });
for (;;) await retention.run();
