import { type ModelServerFake, startModelServer } from '../fixtures/model-server.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** The service with a scripted model, and the page that its replies are about. */
export type WrittenClientFixture = ClientFixture & {
  model: ModelServerFake;
  light: string;
};

export async function openWrittenFixture(): Promise<WrittenClientFixture> {
  const model = await startModelServer();
  const { close, ...fixture } = await openClientFixture({ MODEL_URL: model.url, MODEL_NAME: 'scripted' }, [
    '/light',
  ]);
  return {
    ...fixture,
    model,
    light: `${fixture.site.origin}/light`,
    async close() {
      await close();
      await model.close();
    },
  };
}
