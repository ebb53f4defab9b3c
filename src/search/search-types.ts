import type { CacheState } from '../pages/article.ts';
import type { OpeningOptions } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { Candidate, SourceReport } from '../recall/recall.ts';
import type { FileType, SearchTopic } from '../recall/source.ts';
import type { QuotedAnswer } from '../text/answer/candidates.ts';
import type { WantedParts } from '../text/prune/page-parts.ts';
import type { FilterName, Filters } from '../text/query/filters.ts';
import type { CitedParts } from './cite-parts.ts';
import type { LatePart } from './late-parts.ts';
import type { DetailsOptions, PageDetails } from './pages/page-details.ts';
import type { Subpage, SubpagesOptions } from './pages/subpages.ts';

export type SearchRequest = Filters & {
  query: string;
  numResults: number;
  contents: WantedParts | null;
  /** The links and pictures of opened pages to return; absent: none. */
  details?: DetailsOptions;
  /** Pages of the same sites that the results link to; needs `contents`. */
  subpages?: SubpagesOptions;
  /** Texts that the pages of the results must hold, and must not; absent: no condition. */
  pageText?: TextFilter;
  /** Queries whose results are added; each result is ranked for its own query. */
  additionalQueries?: string[];
  /** The kind of page that sources are asked for; absent: any. */
  topic?: SearchTopic;
  /** Only addresses of files of this kind; absent: any. */
  fileType?: FileType;
  /** Domains (as in `includeDomains`) whose pages rank higher. */
  preferredDomains?: string[];
  /** Options of opening the pages of the results; absent: the defaults. */
  opening?: OpeningOptions;
  /** Results with a lower score are left out; absent: none is. */
  minScore?: number;
  /** Milliseconds since the epoch: only what was known of pages then; absent: now. */
  asOf?: number;
  /** Whether to quote an answer to the query; absent: no. */
  answer?: boolean;
  signal: AbortSignal;
  /** The tenant, for fair shares. */
  tenant?: Tenant;
  /** Whether the pages may be cached and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
  /** The ids of the servers that the search has passed; absent: it is the caller's own. */
  via?: readonly string[];
};

export type SearchResult = CitedParts & {
  url: string;
  title: string;
  score: number;
  /** True for a weak result: it shares words with the query but is unlikely to be relevant. Absent: not weak. */
  isWeak?: true;
  publishedDay: string | null;
  /** Absent if the page was not opened. */
  author?: string | null;
  /** Metadata from the local index of a page that was not opened; absent if there is none. */
  declared?: Candidate['declared'];
  /** The corpus from which the local index has the page; absent if unknown. */
  origin?: Candidate['origin'];
  /** What the page documents; absent if it documents no library. */
  library?: Candidate['library'];
  /** Absent if the page was not opened. */
  details?: PageDetails;
  /** Absent unless requested. */
  subpages?: Subpage[];
};

export type SearchAnswer = {
  results: SearchResult[];
  /** Absent if not requested, null when no passage is likely enough to answer, or when `incomplete` names it. */
  answer?: QuotedAnswer | null;
  cache: CacheState;
  /** Whole milliseconds per stage, and `total`. */
  timingsMs: Record<string, number>;
  /** Tokens as ceil(chars / 4): `raw` of the sources of the opened pages, `output` of what the answer carries. */
  tokens: { raw: number; output: number };
  sources: Record<string, SourceReport>;
  /** Present while the local index is being rebuilt and so holds only some of its pages. */
  index?: RebuildState;
  /** The filters that were set, and how many candidates each removed. */
  filters: FiltersReport;
  /** The late parts; an answer that has any is never cached. */
  incomplete: LatePart[];
};

/** Texts that a page must hold, and must not; matched without regard to case and white space. */
export type TextFilter = { include: string[]; exclude: string[] };

/** The progress of a rebuild: how many pages of an older index the local index has taken over. */
export type RebuildState = { state: 'rebuilding'; pages: number; of: number };

/** The effect of one filter. `opened`: pages that were opened to apply it. */
type FilterReport = { removed: number; opened?: number };
export type FiltersReport = Partial<
  Record<FilterName | 'includeText' | 'excludeText' | 'asOf', FilterReport>
>;
