import type { CacheState } from '../pages/article.ts';
import type { Opening } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/sharing/fair-queue.ts';
import type { Candidate, SourceReport } from '../recall/recall.ts';
import type { FileType, SearchTopic } from '../recall/source.ts';
import type { QuotedAnswer } from '../text/answer/candidates.ts';
import type { WantedParts } from '../text/prune/page-parts.ts';
import type { FilterName, Filters } from '../text/query/filters.ts';
import type { CitedParts } from './cite-parts.ts';
import type { LatePart } from './late-parts.ts';
import type { DetailsWanted, PageDetails } from './pages/page-details.ts';
import type { Subpage, SubpagesWanted } from './pages/subpages.ts';

export type SearchRequest = Filters & {
  query: string;
  numResults: number;
  contents: WantedParts | null;
  /** The links and pictures of opened pages to return; absent: none. */
  details?: DetailsWanted;
  /** Pages of the same sites that the results link to; needs `contents`. */
  subpages?: SubpagesWanted;
  /** What the pages of the results must hold; absent: anything. */
  pageText?: TextFilter;
  /** Queries whose results are added; each result is ranked for its own query. */
  additionalQueries?: string[];
  /** The kind of page to ask sources for; absent: any. */
  topic?: SearchTopic;
  /** Only addresses of files of this kind; absent: any. */
  fileType?: FileType;
  /** Domains (as in `includeDomains`) whose pages rank higher. */
  preferredDomains?: string[];
  /** How the pages of the results are opened; absent: as any page. */
  opening?: Opening;
  /** Results with a lower score are left out; absent: none is. */
  minScore?: number;
  /** Whether to quote an answer to the query; absent: no. */
  answer?: boolean;
  signal: AbortSignal;
  /** Whose search it is, for fair shares. */
  tenant?: Tenant;
  /** Whether what is read may be kept and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
};

export type SearchResult = CitedParts & {
  url: string;
  title: string;
  score: number;
  /** It is unlikely to be relevant: it shares words with the query, and nothing better was found. Absent: no. */
  isWeak?: true;
  publishedDay: string | null;
  /** Absent if the page was not opened. */
  author?: string | null;
  /** What the local index knows of a page that was not opened; absent if nothing. */
  declared?: Candidate['declared'];
  /** The corpus that the local index has the page from; absent if unknown. */
  origin?: Candidate['origin'];
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
  /** By ceil(chars / 4): of the sources of the opened pages, and of what the answer carries. */
  tokens: { raw: number; output: number };
  sources: Record<string, SourceReport>;
  /** Present while the local index is being rebuilt, so that it knows only a part of its pages. */
  index?: RebuildState;
  /** The filters that were set, and how many candidates each kept out. */
  filters: FiltersReport;
  /** What was left out for lack of time; such an answer is never kept. */
  incomplete: LatePart[];
};

/** Texts that a page must hold, and must not; matched without regard to case and white space. */
export type TextFilter = { include: string[]; exclude: string[] };

/** How many pages of an older index the local index has taken over. */
export type RebuildState = { state: 'rebuilding'; pages: number; of: number };

/** What the filters of a request did. `opened`: pages that were opened to find their date. */
type FilterReport = { removed: number; opened?: number };
export type FiltersReport = Partial<Record<FilterName | 'includeText' | 'excludeText', FilterReport>>;
