/** The shapes of other services (decision 0029): existing clients only change their base URL. One line for each. */
import type { FreeRoute, Route } from '../calls/call.ts';
import { BRAVE } from './brave.ts';
import { buildMissingRoutes, type CompatShape, type MissingOperations, NO_MODEL } from './core.ts';
import { FIRECRAWL } from './firecrawl.ts';
import { JINA } from './jina.ts';
import { LINKUP } from './linkup.ts';
import { OPEN_WEBUI } from './open-webui.ts';
import { PERPLEXITY } from './perplexity.ts';
import { RERANKERS } from './rerank.ts';
import { SEARXNG } from './searxng.ts';

type DepsOf<Shape> = Shape extends CompatShape<infer Deps> ? Deps : never;

/** Dependencies of the routes of all shapes. */
export type CompatDeps = DepsOf<typeof SEARXNG> &
  DepsOf<typeof OPEN_WEBUI> &
  DepsOf<typeof PERPLEXITY> &
  DepsOf<typeof LINKUP> &
  DepsOf<typeof BRAVE> &
  DepsOf<typeof JINA> &
  DepsOf<typeof RERANKERS> &
  DepsOf<typeof FIRECRAWL>;

export const COMPAT_SHAPES: readonly CompatShape<CompatDeps>[] = [
  SEARXNG,
  OPEN_WEBUI,
  PERPLEXITY,
  LINKUP,
  BRAVE,
  JINA,
  RERANKERS,
  FIRECRAWL,
];

/** Builds the routes of every shape. */
export function buildCompatRoutes(deps: CompatDeps): Route[] {
  return COMPAT_SHAPES.flatMap((shape) => shape.buildRoutes(deps));
}

/** Exa's shape is the first one itself; these are the operations that it lacks. */
const EXA: MissingOperations = {
  bases: ['', '/shapeA'],
  operations: [
    {
      why: `${NO_MODEL} POST /v1/research answers a question with quoted evidence instead.`,
      names: ['research/v1', 'research/v0/tasks', 'agent/runs'],
    },
    {
      why: 'Its monitors have another form. POST /v1/monitors watches searches and tells their new results.',
      names: ['monitors'],
    },
    {
      why: `${NO_MODEL} POST /v1/monitors watches pages and searches without one.`,
      names: ['agent/monitors'],
    },
    {
      why: 'This service has no websets. POST /v1/search with contents finds and reads pages.',
      names: ['websets/v0/websets', 'v0/websets'],
    },
  ],
};

/** Builds routes that explain why operations are missing; callers know them from other services. */
export function buildNotOfferedRoutes({ hasModel = false }: { hasModel?: boolean } = {}): FreeRoute[] {
  const missing = COMPAT_SHAPES.flatMap((shape) => shape.missing ?? []);
  const ofModel = hasModel ? [] : COMPAT_SHAPES.flatMap((shape) => shape.missingWithoutModel ?? []);
  return [...missing, ...ofModel, EXA].flatMap(buildMissingRoutes);
}
