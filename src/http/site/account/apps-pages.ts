import type { AppGrant, AppGrants } from '../../../billing/keys/app-grants.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { type Html, html } from '../html.ts';
import { renderEmptyState } from '../shell/parts.ts';
import type { Website } from '../shell/site.ts';
import { buildAccountPage, renderHiddenFields, renderTable, renderTime } from './account-frame.ts';
import { type OwnerSignIn, type OwnerVisit, redirect } from './owner-sign-in.ts';

export type AppsPagesDeps = {
  signIn: OwnerSignIn;
  appGrants: Pick<AppGrants, 'ofAccount' | 'endOwn'>;
  site: Website;
};

/** Creates the handlers of the page about the applications that are signed in with the account's keys, and of its form. */
export function createAppsPages({
  signIn,
  appGrants,
  site,
}: AppsPagesDeps): Record<'list' | 'end', (call: Call) => Promise<Answer>> {
  return {
    list: signIn.page(async ({ session, csrf }) =>
      buildAccountPage({
        site,
        place: '/account/apps',
        title: 'Apps',
        csrf,
        main: renderApps(await appGrants.ofAccount(session.account), csrf),
      }),
    ),
    end: signIn.action(async ({ session, form }) => {
      await appGrants.endOwn(session.account, form.get('id') ?? '');
      return redirect('/account/apps');
    }),
  };
}

function renderApps(grants: readonly AppGrant[], csrf: OwnerVisit['csrf']): Html {
  const intro = html`<h1>Apps</h1>
<p class="lead">Applications that you signed in on our page. They hold tokens, never your key, and their calls are charged to your account.</p>`;
  if (grants.length === 0)
    return html`${intro}${renderEmptyState({
      title: 'No application is signed in',
      text: html`Add this server to an application that speaks MCP, and choose to sign in there. Programs may also send a key.`,
      action: html`<p><a class="button second" href="/docs">Read how</a></p>`,
    })}`;
  return html`${intro}${renderTable('Apps', {
    columns: [
      { title: 'App' },
      { title: 'May' },
      { title: 'Signed in' },
      { title: 'Renewed' },
      { title: 'Sign out' },
    ],
    rows: grants.map(({ id, name, scopes, createdAt, usedAt }) => [
      name,
      scopes.join(', '),
      renderTime(createdAt),
      renderTime(usedAt),
      html`<form method="post" action="/account/apps/end">${renderHiddenFields({ csrf, id })}<button class="button second small" type="submit" aria-label="Sign out ${name}">Sign out</button></form>`,
    ]),
  })}`;
}
