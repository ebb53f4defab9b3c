import type { TextChange } from '../text/changes/compare-texts.ts';

/** What a monitor watches: the text of a page, the pages of a site, the entries of a feed, or the results of a search. */
export type MonitorTarget =
  | { kind: 'page'; url: string }
  | { kind: 'site'; url: string; pagesMax: number }
  | { kind: 'feed'; url: string }
  | { kind: 'search'; query: string; resultsMax: number };

/** When a monitor looks: every so often, by cron words in a time zone, or as often as what it watches changes. */
export type MonitorSchedule =
  | { kind: 'interval'; ms: number }
  | { kind: 'cron'; words: string; timeZone: string }
  | { kind: 'adaptive' };

/** A change is reported if one of a monitor's conditions holds; without conditions, every change that is not noise. */
export type MonitorCondition =
  /** The phrase was not on the page and now is, or the reverse. Letter case and white space do not matter. */
  | { kind: 'phrase'; phrase: string; becomes: 'present' | 'absent' }
  /** The first number after the label crosses a bound, in the direction that the bound names. */
  | { kind: 'number'; label: string; above: number | null; below: number | null }
  /** A row of a table that contains the text is new, gone or different. */
  | { kind: 'row'; text: string }
  /** At least this share of the text has changed, from 0 to 1. */
  | { kind: 'share'; share: number };

/** Where events go. Feeds need no channel. */
export type MonitorChannel =
  | { kind: 'webhook'; url: string; headers: Record<string, string> }
  | { kind: 'slack'; url: string }
  | { kind: 'discord'; url: string }
  | { kind: 'email'; to: string };

/** What an owner orders; stored as JSON. */
export type MonitorOrder = {
  name: string | null;
  target: MonitorTarget;
  schedule: MonitorSchedule;
  conditions: MonitorCondition[];
  channels: MonitorChannel[];
  /** False: the pages that it reads are kept for nobody else, so that none can be confirmed without being sent. */
  keep: boolean;
};

/** What the last check did. */
export type CheckOutcome = {
  /** True where something changed, whether or not a condition held. */
  isChanged: boolean;
  credits: number;
  /** Pages or entries compared, and how many there are. */
  compared: number;
  total: number;
  /** What a bound left out of the check, in words; null: nothing. */
  leftOut: string | null;
  /** Why the check failed; null if it did not. */
  error: string | null;
};

/** A stored monitor. Instants are milliseconds since the epoch. */
export type Monitor = {
  id: string;
  owner: string;
  keyId: string | null;
  order: MonitorOrder;
  state: 'active' | 'paused';
  reason: 'credits' | null;
  createdAt: number;
  nextAt: number;
  checkedAt: number | null;
  intervalMs: number;
  checks: number;
  failures: number;
  outcome: CheckOutcome | null;
  /** Why an event did not reach a channel; null once the next one does. */
  deliveryProblem: string | null;
};

/**
 * What a monitor saw. `changed`: the text of a page; `added` and `removed`: a page of the site, an entry of the feed, a result of the search;
 * `unreachable`: the page could not be read three times in a row; `back`: it can be read again.
 */
type EventKind = 'changed' | 'added' | 'removed' | 'unreachable' | 'back';

/** An event without its place among the others of its monitor. */
export type MonitorFinding = {
  kind: EventKind;
  /** The address that the finding is about; null for a search as a whole. */
  url: string | null;
  title: string;
  /** The changes as Markdown, shortened; empty where there is no text to compare. */
  markdown: string;
  /** The changes that are not noise, at most a hundred, and how many there are. */
  changes: TextChange[];
  changesTotal: number;
  /** Share of the text that changed, from 0 to 1; null where there is no text to compare. */
  changedShare: number | null;
  /** The conditions that held, in words; empty where the monitor has none. */
  conditions: string[];
};

/** An event as owners and receivers get it. */
export type MonitorEvent = MonitorFinding & { id: string; monitorId: string; number: number; at: number };
