import type { Mutant } from './mutant.ts';

const RUN = ['test/jobs/run-job.test.ts'];
const INTERRUPTED = ['test/jobs/interrupted-job.test.ts'];
const WRITER = 'src/jobs/run/job-writer.ts';
const LEASE = 'src/jobs/rows/job-rows.ts';

/** Faults in asynchronous jobs: who may write, what is charged, what webhooks get. */
export const jobMutants: Mutant[] = [
  {
    name: 'former-holder-of-a-lease-writes',
    file: WRITER,
    find: '.where(jobLeases.isHeld(lease))',
    replace: ".where('id', '=', lease.id)",
    suite: INTERRUPTED,
  },
  {
    name: 'lease-is-taken-from-its-holder',
    file: LEASE,
    find: '    .where(jobLeases.isFree(now))\n    .returningAll()',
    replace: '    .returningAll()',
    suite: ['test/jobs/runner.test.ts', ...INTERRUPTED],
  },
  {
    name: 'pages-that-are-not-paid-are-shown',
    file: WRITER,
    find: 'numbers.slice(0, paid)',
    replace: 'numbers.slice(0)',
    suite: RUN,
  },
  {
    name: 'batch-left-open-is-forgotten',
    file: WRITER,
    find: 'openAtFirst === null ? null : close(openAtFirst)',
    replace: 'null',
    suite: INTERRUPTED,
  },
  {
    name: 'refused-event-counts-as-delivered',
    file: 'src/jobs/webhooks/deliver.ts',
    find: 'status >= 200 && status < 300',
    replace: 'status >= 200',
    suite: ['test/jobs/deliver.test.ts'],
  },
  {
    name: 'owners-share-a-webhook-secret',
    file: 'src/jobs/webhooks/webhook-signature.ts',
    find: '.update(owner)',
    replace: ".update('')",
    suite: ['test/jobs/deliver.test.ts', 'test/http/firecrawl/webhooks.test.ts'],
  },
  {
    name: 'job-of-another-is-found',
    file: 'src/jobs/jobs.ts',
    find: 'job?.owner === owner ? job : null',
    replace: 'job',
    suite: ['test/http/firecrawl/jobs.test.ts'],
  },
];
