import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import type { SearchAnswer, SearchRequest } from '../../src/search/search-types.ts';
import { type Answered, type Served, searchAnswer, serveScripted } from '../harness.ts';

type ScriptedSearch = {
  app: Served;
  /** What the operation was asked for in the present test. */
  asked: SearchRequest[];
  /** What the operation does in the present test. */
  script: () => Promise<SearchAnswer>;
  search(body: unknown, headers?: Record<string, string>): Promise<Answered>;
  /** What the operation was asked for, without its signal. */
  understood(body: unknown): Promise<Omit<SearchRequest, 'signal'>>;
};

/** Serves a scripted search, which is asked at a path, while the tests of a file run. */
export function scriptedSearch(path: string): ScriptedSearch {
  let app: Served;
  before(async () => {
    app = await serveScripted({
      search: (request) => {
        service.asked.push(request);
        return service.script();
      },
      clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
      findKey: async (key) => (key === 'good' ? { keyId: 'key_1', noStore: false } : null),
    });
  });
  beforeEach(() => {
    service.asked = [];
    service.script = async () => searchAnswer();
  });
  after(() => app.close());
  const service: ScriptedSearch = {
    get app() {
      return app;
    },
    asked: [],
    script: async () => searchAnswer(),
    search: (body, headers) => app.post(path, body, headers),
    async understood(body) {
      const { status, text } = await service.search(body);
      assert.equal(status, 200, text);
      const [{ signal: _, tenant: _tenant, keep: _keep, ...request }] = service.asked.splice(0) as [
        SearchRequest,
      ];
      return request;
    },
  };
  return service;
}
