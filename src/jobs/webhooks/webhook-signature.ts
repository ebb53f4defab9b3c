import { createHmac, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;
const SECRET_PREFIX = 'whsec_';

/** Derives the secret that signs an owner's events. It need not be stored, and is of no use for another owner. */
export function createWebhookSecrets(appSecret: string): (owner: string) => string {
  const key = Buffer.from(hkdfSync('sha256', appSecret, '', 'webhooks', KEY_BYTES));
  return (owner) => `${SECRET_PREFIX}${createHmac('sha256', key).update(owner).digest('hex')}`;
}

/** Returns the HMAC-SHA-256 of a body in hex. */
export function signBody(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/**
 * Returns the headers of the Standard Webhooks specification, version 1 (https://www.standardwebhooks.com). The signature covers the
 * time of the attempt in seconds, so that a receiver can refuse a replayed event.
 */
export function createWebhookHeaders(
  event: { id: string; body: string; sentAt: number },
  secret: string,
): Record<string, string> {
  const timestamp = String(Math.floor(event.sentAt / 1_000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key)
    .update(`${event.id}.${timestamp}.${event.body}`)
    .digest('base64');
  return {
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
