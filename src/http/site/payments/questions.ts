import { type Html, html } from '../html.ts';

/** Renders questions that buyers ask, with their answers. */
export function renderQuestions(sells: boolean): Html {
  const asked: [question: string, answer: Html][] = [
    ['Do credits expire?', html`No. They stay until they are used.`],
    [
      'Is there a subscription?',
      html`No. You buy a pack once. Auto-reload is the only thing that charges you again, and only if you turned it on.`,
    ],
    [
      'What happens when the credits run out?',
      html`Calls answer 402 with a link to buy more, and nothing else changes. With auto-reload a pack is bought before that.`,
    ],
    [
      'Is my card saved?',
      html`Only if you buy with auto-reload. The payment provider keeps it; you see its last digits on your account page and can remove it there.`,
    ],
    [
      'Can I use several keys?',
      html`Yes. All keys of an account draw on the same credits. On your <a href="/account/keys">account page</a> you give each a label and its own limits, rotate it or revoke it.`,
    ],
    [
      'Where are my receipts?',
      html`On the <a href="/account/billing">billing page</a> of your account, straight from the payment provider.`,
    ],
    [
      'I lost my key. What now?',
      html`The payment that created it proves that it is yours: <a href="/account/recover">recover your account</a>.`,
    ],
    [
      'Can I get my money back?',
      html`Ask the operator. A refunded payment takes its credits back in proportion.`,
    ],
  ];
  if (!sells) return html``;
  return html`<section class="questions" aria-labelledby="questions"><h2 id="questions">Questions</h2>
${asked.map(([question, answer]) => html`<details><summary>${question}</summary><p>${answer}</p></details>`)}
</section>`;
}
