/**
 * The tables of the job store, all of which belong to `jobs`. Instants are milliseconds since the epoch. Only the holder of a
 * job's lease writes the rows of its addresses and pages.
 */
export type JobTables = {
  job: JobTable;
  job_url: JobUrlTable;
  job_page: JobPageTable;
  job_delivery: JobDeliveryTable;
  job_read: JobReadTable;
  job_worker: JobWorkerTable;
  job_pace: JobPaceTable;
};

export type JobTable = {
  id: string;
  kind: 'crawl' | 'batch';
  /** The tenant that started the job; only this tenant may see it. */
  owner: string;
  /** The key that pays for its pages; null: they are free. */
  key_id: string | null;
  /** The order as JSON. */
  request: string;
  state: 'running' | 'completed' | 'failed' | 'cancelled';
  /** Reason why the job failed, or ended before everything was read. */
  reason: string | null;
  created_at: number;
  ended_at: number | null;
  /** Time at which the job and its pages are deleted. */
  expires_at: number;
  /** Increases whenever the lease changes hands, so that a former holder cannot write. */
  lease_token: number;
  lease_until: number;
  /** Changes of the lease holder since a page was last written. */
  stalls: number;
  /** The start address after redirects. */
  base: string | null;
  /** Time at which the sitemaps had been read. */
  seeded_at: number | null;
  /** Last assigned numbers: of known addresses, and of batches of pages written. */
  urls: number;
  batches: number;
  /** The batch that is written but not yet charged, and so not yet in the answer. */
  open_batch: number | null;
  /** Number of pages in the answer, failed addresses and waiting addresses. */
  pages: number;
  failed: number;
  pending: number;
  credits: number;
  /** Total size of its documents. */
  bytes: number;
};

/** The frontier of a job. */
type JobUrlTable = {
  job_id: string;
  /** 1, 2, 3 ... within the job. */
  number: number;
  url: string;
  host: string;
  depth: number;
  state: 'pending' | 'done' | 'duplicate' | 'skipped' | 'failed';
  attempts: number;
  not_before: number;
  reason: string | null;
  page_url: string | null;
  title: string | null;
  settled_at: number | null;
};

/** The pages that a job has read. */
type JobPageTable = {
  job_id: string;
  /** The number of its address. */
  number: number;
  /** Identifies the page; unique within the job. */
  page_key: string;
  batch: number;
  /** Its place in the answer: 1, 2, 3 ...; null until it is charged. */
  place: number | null;
  /** The document as JSON. */
  document: string;
  bytes: number;
};

/** Events that a webhook has not acknowledged yet. */
export type JobDeliveryTable = {
  id: string;
  job_id: string;
  event: 'started' | 'page' | 'page_failed' | 'completed' | 'failed';
  /** The number of the page that the event is about; null for events of the job. */
  number: number | null;
  attempts: number;
  /** Time of the next attempt; moved ahead while a process sends the event. */
  due_at: number;
  created_at: number;
};

/** A page to read for a job, by any process that has room. Instants are by the database's clock. */
type JobReadTable = {
  id: string;
  job_id: string;
  /** Lease token of the job's holder that asked; reads of an earlier holder are ignored. */
  lease_token: number;
  /** The process that asked. */
  offered_by: string;
  offered_at: number;
  host: string;
  /** Milliseconds between the starts of two reads of the host. */
  pace_ms: number;
  /** The read request as JSON. */
  request: string;
  /** Increases whenever a process claims the read, so that an earlier claimant cannot answer it. */
  claim_token: number;
  claimed_until: number;
  /** The result as JSON; null until the read has succeeded or failed. */
  result: string | null;
};

/** A process that reads pages for jobs. */
type JobWorkerTable = { id: string; seen_until: number };

/** The earliest start of the next read of a host. */
type JobPaceTable = { host: string; ready_at: number };
