import type { SendEmail } from './deliver-events.ts';

/** The operator's server for email: its URL (`smtp://` or `smtps://`, with user and password) and the sender. */
export type SmtpSettings = { url: string; from: string };

const TIMEOUT_MS = 10_000;

/** Creates the sender of emails; the library is loaded by the first one. The server is the operator's own, so it may be private. */
export function createEmailSender({ url, from }: SmtpSettings): SendEmail {
  let opening: Promise<{ sendMail(mail: Record<string, unknown>): Promise<unknown> }> | null = null;
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    const { hostname, port, protocol, username, password } = new URL(url);
    const user = decodeURIComponent(username);
    return createTransport({
      host: hostname,
      port: port === '' ? (protocol === 'smtps:' ? 465 : 587) : Number(port),
      secure: protocol === 'smtps:',
      ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(password) } }),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  return async ({ id, to, subject, text }) => {
    opening ??= open();
    const transport = await opening;
    // The same id each time it is sent, so that mail programs fold a repetition.
    await transport.sendMail({ from, to, subject, text, messageId: `<${id}@sanderling>` });
  };
}
