import type { Answer, JsonObject } from '../../calls/call.ts';
import type { Tool } from '../tool.ts';
import { readField, readTextField } from '../writing.ts';

/** Output schema of both tools. */
const BALANCE = {
  type: 'object',
  properties: {
    credits: { type: 'integer' },
    burn_rate_per_day: { type: 'number' },
    auto_reload: { type: 'object' },
  },
};

/** The tool for GET /v1/balance. */
export const balance: Tool = {
  name: 'balance',
  title: 'Show credits',
  description: 'Show your credits, daily use and auto-reload.',
  price: 'Free.',
  isAboutKeys: true,
  fields: {},
  output: BALANCE,
  annotations: { readOnlyHint: true, openWorldHint: false },
  call: () => ({ method: 'GET', path: '/v1/balance' }),
  write: writeBalance,
};

/** The tool for POST /v1/billing/auto-reload. */
export const autoReload: Tool = {
  name: 'auto_reload',
  title: 'Change auto-reload',
  description: 'Change when credits are bought automatically. It spends money: ask the user first.',
  price: 'Free.',
  isAboutKeys: true,
  fields: {
    enabled: { kind: 'flag', required: true },
    threshold: { kind: 'count', about: 'buy below' },
    pack: { kind: 'text', about: 'instant, builder or scale' },
    monthly_max_usd: { kind: 'number' },
  },
  output: BALANCE,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  call: (args) => ({ method: 'POST', path: '/v1/billing/auto-reload', body: args }),
  write: writeBalance,
};

function writeBalance(answer: Answer['body']): ReturnType<Tool['write']> {
  const reload = readField(answer, 'auto_reload');
  const isOn = readField(reload, 'enabled') === true;
  const lastError = readTextField(reload, 'last_error');
  const month = `${readTextField(reload, 'spent_this_month_usd')} of ${readTextField(reload, 'monthly_max_usd')} USD spent this month`;
  const terms = `pack ${readTextField(reload, 'pack')} below ${readTextField(reload, 'threshold')} credits, ${month}`;
  const lines = [
    `Credits: ${readTextField(answer, 'credits')}`,
    `Used per day: ${readTextField(answer, 'burn_rate_per_day')}`,
    `Auto-reload: ${isOn ? 'on' : 'off'} (${terms})`,
    ...formatLimits(readField(answer, 'limits')),
    ...(lastError === '' ? [] : [`Last auto-reload failed: ${lastError}`]),
  ];
  return { text: lines.join('\n'), structured: pickBalance(answer) };
}

function pickBalance(answer: Answer['body']): JsonObject {
  const names = Object.keys(BALANCE.properties);
  return Object.fromEntries(names.map((name) => [name, readField(answer, name)]));
}

function formatLimits(limits: unknown): string[] {
  const perMinute = readTextField(limits, 'per_minute');
  const perDay = readTextField(limits, 'per_day');
  const expiresAt = readTextField(limits, 'expires_at');
  return [
    ...(perMinute === '' ? [] : [`Calls per minute: at most ${perMinute}`]),
    ...(perDay === '' ? [] : [`Calls today (UTC): ${readTextField(limits, 'calls_today')} of ${perDay}`]),
    ...(expiresAt === '' ? [] : [`Expires: ${expiresAt}`]),
  ];
}
