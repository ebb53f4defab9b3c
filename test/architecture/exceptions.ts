/**
 * Offences that stand, by rule and place, each with its reason. The list may only shrink: an exception that is no longer
 * needed fails the test.
 */
export const EXCEPTIONS: Record<string, Record<string, string>> = {
  importsAgainstArrows: {
    'text/passages/word-vectors.ts': 'reads its own table of weights in models/',
    'contract/events.ts': 'stood when the rule was made',
  },
  importCycles: {
    'search/add-contents.ts': 'stood when the rule was made',
  },
  folderCycles: {
    'contract/': 'stood when the rule was made',
  },
  impurities: {
    'text/passages/word-vectors.ts':
      'reads its own table once per thread: a constant of the program, too large for source text',
  },
  longFunctions: {},
  typeNamesTwice: {},
  crumbs: {
    'app/readiness.ts': 'stood when the rule was made',
    'cli/doctor-ledger-store.ts': 'stood when the rule was made',
    'cli/mcp.ts': 'stood when the rule was made',
    'cli/read.ts': 'stood when the rule was made',
    'cli/table.ts': 'stood when the rule was made',
    'http/v1/sources.ts': 'stood when the rule was made',
    'pages/extract/content/features/table.ts': 'stood when the rule was made',
    'pages/extract/content/model-table.ts': 'stood when the rule was made',
    'platform/store/ledger/migrations/0003-sandbox.ts':
      'a migration is a file of its own that never changes once landed',
    'platform/store/ledger/migrations/0004-owner-cap.ts':
      'a migration is a file of its own that never changes once landed',
    'platform/store/migrations/0001-page-cache.ts':
      'a migration is a file of its own that never changes once landed',
  },
};
