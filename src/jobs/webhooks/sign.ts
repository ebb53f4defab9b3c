import { createHmac, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** The secret that an owner's events are signed with: derived, so that it need not be stored, and of no use for another owner. */
export function webhookSecrets(appSecret: string): (owner: string) => string {
  const key = Buffer.from(hkdfSync('sha256', appSecret, '', 'webhooks', KEY_BYTES));
  return (owner) => `whsec_${createHmac('sha256', key).update(owner).digest('hex')}`;
}

/** HMAC-SHA-256 of a body in hex. */
export function signatureOf(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
