import type { SourceQuery } from '../source.ts';

type Page = Pick<SourceQuery, 'page'>;

/** For sources that count results from 0: how many to skip; null for the first page, which needs no parameter. */
export function computeOffset({ page = 0 }: Page, size: number): number | null {
  return page === 0 ? null : page * size;
}

/** For sources that count pages from 1; null for the first. */
export function computePageNumber({ page = 0 }: Page): number | null {
  return page === 0 ? null : page + 1;
}

/** For sources that count pages from 0; null for the first. */
export function computePageIndex({ page = 0 }: Page): number | null {
  return page === 0 ? null : page;
}
