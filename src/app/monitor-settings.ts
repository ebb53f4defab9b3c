import * as z from 'zod';
import type { SmtpSettings } from '../monitors/deliveries/send-email.ts';

/** Settings of monitors: the operator's own server for email. */
export type MonitorConfig = {
  /** Null: no emails are sent. */
  readonly smtp: (SmtpSettings & { readonly recipients: readonly string[] }) | null;
};

export const MONITOR_SETTINGS = {
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an address such as smtps://user:password@mail.example.org' })
    .optional(),
  SMTP_FROM: z.string().trim().min(3, 'must be an email address').max(320).optional(),
  /** Without it any key could send emails to anybody. */
  SMTP_RECIPIENTS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((one) => one !== ''),
    ),
};

type Settings = z.output<z.ZodObject<typeof MONITOR_SETTINGS>>;

/** Returns why the settings cannot be used together; null: they can. */
export function findMonitorProblem({ SMTP_URL, SMTP_FROM, SMTP_RECIPIENTS }: Settings): string | null {
  if (SMTP_URL === undefined)
    return SMTP_FROM === undefined && SMTP_RECIPIENTS.length === 0
      ? null
      : 'SMTP_URL: is missing, although other settings of email are set';
  if (SMTP_FROM === undefined) return 'SMTP_FROM: is missing, although SMTP_URL is set: the sender of emails';
  return SMTP_RECIPIENTS.length === 0
    ? 'SMTP_RECIPIENTS: is missing, although SMTP_URL is set: the addresses and domains that may get emails'
    : null;
}

/** Pure: converts the settings to the server's config. */
export function readMonitorConfig({ SMTP_URL, SMTP_FROM, SMTP_RECIPIENTS }: Settings): MonitorConfig {
  if (SMTP_URL === undefined || SMTP_FROM === undefined) return { smtp: null };
  return { smtp: Object.freeze({ url: SMTP_URL, from: SMTP_FROM, recipients: SMTP_RECIPIENTS }) };
}
