/**
 * Every module that a thread loads by its address, as a path below the sources: threads, tasks of the pool, and procedures of the ledger.
 * The bundle keeps each in its own file (`scripts/build.mjs` reads this list); no other module is loaded by name at run time.
 */
export const THREAD_MODULES = [
  'billing/audit/audit-thread',
  'billing/keys/app-grants',
  'billing/keys/key-procedures',
  'billing/keys/owner-sessions',
  'billing/ledger/allowance',
  'billing/ledger/charge-procedures',
  'billing/ledger/idempotency',
  'billing/payments/auto-reload',
  'billing/payments/checkout-procedures',
  'billing/payments/payment-inbox',
  'billing/payments/providers/sandbox',
  'billing/payments/purchases',
  'billing/payments/refund-dispute-procedures',
  'billing/retention/retention-procedures',
  'crawl/import/formats/parquet/table-thread',
  'crawl/robots/sitemap',
  'index/hosts/rank-thread',
  'index/index-reader-thread',
  'index/index-writer-thread',
  'index/opensearch/cluster-thread',
  'index/prepare/preparer-thread',
  'libraries/api/reference-thread',
  'pages/document-task',
  'pages/extract-task',
  'pages/alternates/alternate-task',
  'platform/store/ledger/sqlite-ledger-store-thread',
  'platform/threads/task-thread',
  'recall/rerank/model-thread',
  'research/evidence-pack',
  'research/evidence/page-passages',
  'research/evidence/related-facets',
  'text/answer/quote-answer',
  'text/changes/compare-texts',
  'text/changes/write-changes',
  'text/citations/find-quote',
  'text/markup/markdown-html',
  'text/passages/score-passages',
  'text/proof/judge-statements',
  'text/proof/prove-fields',
  'text/proof/prove-statements',
  'text/prune/page-parts',
  'text/prune/page-sections',
] as const;

type ThreadModule = (typeof THREAD_MODULES)[number];

/** Resolves the address of a module, in the sources and in the bundle alike: with the extension of this file. */
export function resolveThreadModule(name: ThreadModule): URL {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  return new URL(`../../${name}${extension}`, import.meta.url);
}
