import type { Config } from './config.ts';
import type { OwnIndex } from './corpus/own-index-types.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import type { CheckUrl, GuardedFetch } from './platform/net/fetch-types.ts';
import type { Store } from './platform/store/open-store.ts';
import type { Contents } from './retrieval/contents.ts';
import type { OpenPage } from './retrieval/open/open-page-types.ts';
import type { Read } from './retrieval/read.ts';
import type { Search } from './retrieval/search.ts';

/** Every part of the running service, made once and in order. */
export type Services = {
  config: Config;
  log: Log;
  clock: Clock;
  store: Store;
  network: { fetch: GuardedFetch; checkUrl: CheckUrl; close(): Promise<void> };
  openPage: OpenPage;
  index: OwnIndex;
  search: Search;
  contents: Contents;
  read: Read;
  /** Ends what was started, in reverse order; safe to call twice. */
  close(): Promise<void>;
};
