import { ACCOUNT_KEY_CASES } from './account-key-cases.ts';
import { ALLOWANCE_CASES } from './allowance-cases.ts';
import { ANSWER_CASES } from './answer-cases.ts';
import { BALANCE_CASES } from './balance-cases.ts';
import { BODY_CASES } from './body-cases.ts';
import { BUYING_CASES } from './buying-cases.ts';
import { CHARGING_CASES } from './charging-cases.ts';
import { CONTENTS_OPTIONS } from './contents-options.ts';
import { CONTENTS_REQUESTS } from './contents-requests.ts';
import { CORS_CASES } from './cors-cases.ts';
import { FETCHING_CASES } from './fetching-cases.ts';
import { FORMULA_CASES } from './formula-cases.ts';
import { KEY_CASES } from './key-cases.ts';
import { MCP_CASES } from './mcp-cases.ts';
import { OUTAGE_CASES } from './outage-cases.ts';
import { PARTIAL_CHARGE_CASES } from './partial-charge-cases.ts';
import { PARTS_CASES } from './parts-cases.ts';
import { PAYMENT_REQUIRED_CASES } from './payment-required-cases.ts';
import { PRIVACY_CASES } from './privacy-cases.ts';
import { READER_CASES } from './reader-cases.ts';
import { REFUSED_ADDRESS_CASES } from './refused-address-cases.ts';
import { RELOAD_CASES } from './reload-cases.ts';
import { RELOAD_SETTING_CASES } from './reload-setting-cases.ts';
import { REWRITING_CASES } from './rewriting-cases.ts';
import { ROUTING_CASES } from './routing-cases.ts';
import { SEARCH_OPTIONS } from './search-options.ts';
import { SEARCH_REQUESTS } from './search-requests.ts';
import { SECOND_SHAPE_ANSWERS } from './second-shape-answers.ts';
import { SECOND_SHAPE_REQUESTS } from './second-shape-requests.ts';
import { SIMILAR_REQUESTS } from './similar-requests.ts';
import type { Case } from './spec-case.ts';
import { WALK_CASES } from './walk-cases.ts';

type Tables = Record<string, readonly Case[]>;

/** What requests may hold. */
export const REQUESTS: Tables = {
  'POST /v1/search: query, numResults, type, domains': SEARCH_REQUESTS,
  'POST /v1/search: dates, contents, unknown fields': SEARCH_OPTIONS,
  'POST /v1/findSimilar': SIMILAR_REQUESTS,
  'POST /v1/contents: URLs and text': CONTENTS_REQUESTS,
  'POST /v1/contents: highlights and pruned context': CONTENTS_OPTIONS,
  'POST /shapeB/search: request': SECOND_SHAPE_REQUESTS,
  'POST /shapeB/search: time filters and response': SECOND_SHAPE_ANSWERS,
};

/** What responses hold, and by which routes. */
export const RESPONSES: Tables = {
  'fields of responses': ANSWER_CASES,
  'parts of pages': PARTS_CASES,
  'highlights and figures of the reader': FORMULA_CASES,
  'GET /r/{url}': READER_CASES,
  'crawl and map': WALK_CASES,
  'fetching and statuses': FETCHING_CASES,
  'routes, aliases and methods': ROUTING_CASES,
  'request bodies': BODY_CASES,
};

/** Who calls, and what it costs. */
export const COSTS: Tables = {
  'keys and their precedence': KEY_CASES,
  'keys of accounts and free keys': ACCOUNT_KEY_CASES,
  'the keyless allowance': ALLOWANCE_CASES,
  'costs and refunds': CHARGING_CASES,
  'costs of several pages': PARTIAL_CHARGE_CASES,
  '402 and 432': PAYMENT_REQUIRED_CASES,
};

/** Accounts and payments, tools, and what callers share. */
export const ACCOUNTS: Tables = {
  'POST /mcp': MCP_CASES,
  'what is shared between callers': PRIVACY_CASES,
  'the balance object': BALANCE_CASES,
  'settings of auto-reload': RELOAD_SETTING_CASES,
  'the states of auto-reload': RELOAD_CASES,
  'buy links and the success page': BUYING_CASES,
};

/** Tables with their own fixtures. */
export const SPECIAL = {
  /** Nothing private is opened for tests. */
  strict: REFUSED_ADDRESS_CASES,
  /** The only source is down. */
  dark: OUTAGE_CASES,
  /** Every address is answered with a page that names it. */
  echo: REWRITING_CASES,
  /** The service has a public address. */
  offered: CORS_CASES,
} as const;
