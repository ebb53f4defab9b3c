import { EXA } from './fields/exa.ts';
import { FIRECRAWL } from './fields/firecrawl.ts';
import { JINA } from './fields/jina.ts';
import type { OtherService } from './fields/other-service.ts';
import { SEARXNG } from './fields/searxng.ts';
import { TAVILY } from './fields/tavily.ts';

export const OTHER_SERVICES: OtherService[] = [EXA, TAVILY, JINA, FIRECRAWL, SEARXNG];
