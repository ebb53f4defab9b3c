import { after, before, beforeEach } from 'node:test';
import type { ContentsAnswer, ContentsRequest } from '../../../src/search/contents.ts';
import { type Answered, contentsAnswer, type Served, serveScripted } from '../../harness.ts';

type ScriptedContents = {
  app: Served;
  /** What the operation was asked for in the present test. */
  asked: ContentsRequest[];
  /** What the operation does in the present test. */
  script: () => Promise<ContentsAnswer>;
  contents(body: unknown, headers?: Record<string, string>): Promise<Answered>;
};

/** Serves a scripted contents call while the tests of a file run. */
export function scriptedContents(): ScriptedContents {
  let app: Served;
  before(async () => {
    app = await serveScripted({
      contents: (request) => {
        service.asked.push(request);
        return service.script();
      },
    });
  });
  beforeEach(() => {
    service.asked = [];
    service.script = async () => contentsAnswer();
  });
  after(() => app.close());
  const service: ScriptedContents = {
    get app() {
      return app;
    },
    asked: [],
    script: async () => contentsAnswer(),
    contents: (body, headers) => app.post('/v1/contents', body, headers),
  };
  return service;
}
