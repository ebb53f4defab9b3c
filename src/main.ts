import { existsSync } from 'node:fs';
import { type Config, ConfigError, readConfig } from './config.ts';

/** The server process: environment (and .env where there is one) -> settings -> serve. */
async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = settings();
  if (config === null) {
    process.exitCode = 1;
    return;
  }
  const { serve } = await import('./serve.ts');
  await serve(config);
}

function settings(): Config | null {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split('\n')) process.stderr.write(`Setting ${line}\n`);
    return null;
  }
}

await main();
