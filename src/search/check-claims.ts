import { Failure } from '../contract/errors.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import { TaskFailed, type TaskPool, type ThreadTask } from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import { buildTextFragmentLink } from '../text/citations/text-fragment.ts';
import type { judgeStatements } from '../text/proof/judge-statements.ts';
import type { SourcePassage } from '../text/proof/prove-statements.ts';

type ClaimsRequest = {
  /** Statements with the addresses that they cite. */
  claims: readonly { text: string; urls: readonly string[] }[];
  signal: AbortSignal;
  tenant?: Tenant;
  keep?: boolean | undefined;
};

/**
 * What the cited pages say about a statement. `not_cited`: it names no page; `not_opened`: none of its pages could be read. `page` is the
 * one that was decisive; `problems` say what it has otherwise. `near`: passages of the pages on which it was not found that speak of the
 * same, the most alike of each page first.
 */
export type CheckedClaim = {
  text: string;
  verdict: 'supported' | 'contradicted' | 'not_found' | 'not_cited' | 'not_opened';
  page: { url: string; quote: string; link: string } | null;
  problems: { kind: string; text: string }[];
  near: SourcePassage[];
};

/** `opened`: addresses of the pages that were read. */
type ClaimsAnswer = {
  claims: CheckedClaim[];
  opened: string[];
  failed: { url: string; reason: string }[];
};

/** Throws `Failure('overloaded')` when the pages cannot be compared in time. A page that cannot be read is a value. */
export type CheckClaims = (request: ClaimsRequest) => Promise<ClaimsAnswer>;

const JUDGE_TASK: ThreadTask<typeof judgeStatements> = {
  module: resolveThreadModule('text/proof/judge-statements'),
  name: 'judgeStatements',
  limits: TASK_LIMITS.prove,
};

/** Creates the operation: opens every cited page once and compares each statement with the pages that it cites. */
export function createCheckClaims({
  openPage,
  pool,
}: {
  openPage: OpenPage;
  pool: Pick<TaskPool, 'run'>;
}): CheckClaims {
  return async ({ claims, signal, tenant, keep }) => {
    const urls = [...new Set(claims.flatMap((claim) => claim.urls))];
    const failed: ClaimsAnswer['failed'] = [];
    const judged = await Promise.all(
      urls.map(async (url) => {
        const statements = claims.filter((claim) => claim.urls.includes(url)).map(({ text }) => text);
        const page = await openPage(url, { signal, tenant, keep }).catch((error: unknown) => {
          if (!(error instanceof Failure) || signal.aborted) throw error;
          failed.push({ url, reason: error.fetch?.reason ?? error.code });
          return null;
        });
        if (page === null) return null;
        const { title, markdown } = page.article;
        const verdicts = await pool
          .run(JUDGE_TASK, [statements, { title, markdown }], { signal, tenant })
          .catch((error: unknown) => {
            if (!(error instanceof TaskFailed)) throw error;
            throw new Failure('overloaded', 'The pages could not be compared in time.', { cause: error });
          });
        return {
          url,
          title,
          markdown,
          of: new Map(statements.map((text, place) => [text, verdicts[place]])),
        };
      }),
    );
    const pages = judged.filter((page) => page !== null);
    return {
      claims: claims.map((claim) => judgeClaim(claim, pages)),
      opened: pages.map(({ url }) => url),
      failed,
    };
  };
}

type JudgedPage = {
  url: string;
  title: string;
  markdown: string;
  of: ReadonlyMap<string, ReturnType<typeof judgeStatements>[number] | undefined>;
};

/** One page that supports a statement is enough; without one, a page that contradicts it decides. */
function judgeClaim(
  { text, urls }: ClaimsRequest['claims'][number],
  pages: readonly JudgedPage[],
): CheckedClaim {
  if (urls.length === 0) return { text, verdict: 'not_cited', page: null, problems: [], near: [] };
  const cited = pages.filter(({ url }) => urls.includes(url));
  if (cited.length === 0) return { text, verdict: 'not_opened', page: null, problems: [], near: [] };
  for (const verdict of ['supported', 'contradicted'] as const)
    for (const { url, markdown, of } of cited) {
      const found = of.get(text);
      if (found?.verdict !== verdict) continue;
      const { quote, start, end, problems } = found;
      return {
        text,
        verdict,
        page: { url, quote, link: buildTextFragmentLink(url, markdown, { start, end }) },
        problems,
        near: [],
      };
    }
  const near = cited.flatMap(({ url, title, markdown, of }) => {
    const found = of.get(text);
    if (found?.verdict !== 'not_found') return [];
    return found.near.map(({ start, end }) => ({ url, title, text: markdown.slice(start, end) }));
  });
  return { text, verdict: 'not_found', page: null, problems: [], near };
}
