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
  /** The tenant that started the job, and alone may see it. */
  owner: string;
  /** The key that pays for its pages; null: they are free. */
  key_id: string | null;
  /** A name that the caller gave the request, so that a repeated one starts no second job; unique per owner. */
  request_key: string | null;
  /** The order as JSON. */
  request: string;
  state: 'running' | 'completed' | 'failed' | 'cancelled';
  /** Why it failed, or ended before everything was read. */
  reason: string | null;
  created_at: number;
  ended_at: number | null;
  /** When it is deleted with its pages. */
  expires_at: number;
  /** Increases whenever the lease changes hands, so that a former holder can no longer write. */
  lease_token: number;
  lease_until: number;
  /** Changes of hands since a page was last written. */
  stalls: number;
  /** Where the start address led. */
  base: string | null;
  /** When the sitemaps had been read. */
  seeded_at: number | null;
  /** Addresses known, and batches of pages written: the last numbers that were given. */
  urls: number;
  batches: number;
  /** The batch that is written but not yet paid, and so not yet in the answer. */
  open_batch: number | null;
  /** Pages in the answer, addresses that failed, and addresses that wait. */
  pages: number;
  failed: number;
  pending: number;
  credits: number;
  /** Size of its documents. */
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

/** What a job has read. */
type JobPageTable = {
  job_id: string;
  /** That of its address. */
  number: number;
  /** What no other page of the job has. */
  page_key: string;
  batch: number;
  /** Its place in the answer: 1, 2, 3 ...; null until it is paid. */
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
  /** When it is sent next; moved ahead while a process sends it. */
  due_at: number;
  created_at: number;
};

/** A page to be read for a job, by whichever process has room. Instants are of the database's clock. */
type JobReadTable = {
  id: string;
  job_id: string;
  /** That of the job's holder when it asked; the reads of an earlier holder are of no use. */
  lease_token: number;
  /** The process that asked. */
  offered_by: string;
  offered_at: number;
  host: string;
  /** Between the starts of two reads of the host. */
  pace_ms: number;
  /** What is to be read and how, as JSON. */
  request: string;
  /** Increases whenever a process claims the read, so that an earlier one can no longer answer it. */
  claim_token: number;
  claimed_until: number;
  /** As JSON; null until the page was read, or could not be. */
  result: string | null;
};

/** A process that reads pages for jobs. */
type JobWorkerTable = { id: string; seen_until: number };

/** When the next read of a host may start. */
type JobPaceTable = { host: string; ready_at: number };
