import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BlockPageInput, detectBlockPage, isEmptyShell } from './block-page.ts';

const shown = (some: Partial<BlockPageInput>): BlockPageInput => ({
  status: 200,
  html: '<p>x</p>',
  title: '',
  markdown: '',
  ...some,
});

const BLOCK_PAGES: [what: string, page: Partial<BlockPageInput>, kind: string][] = [
  [
    'Cloudflare challenge',
    {
      status: 403,
      title: 'Just a moment...',
      html: '<script>window._cf_chl_opt={cvId:"3"}</script><noscript>Enable JavaScript and cookies to continue</noscript>',
    },
    'bot_check',
  ],
  [
    'Cloudflare block',
    {
      status: 403,
      title: 'Attention Required! | Cloudflare',
      markdown: '# Sorry, you have been blocked\n\nYou are unable to access example.org',
    },
    'bot_check',
  ],
  [
    'DataDome',
    {
      status: 403,
      title: 'example.org',
      html: '<p id="cmsg">Please enable JS</p><script src="https://ct.captcha-delivery.com/c.js"></script>',
      markdown: 'Please enable JS and disable any ad blocker',
    },
    'bot_check',
  ],
  [
    'HUMAN press and hold',
    {
      status: 403,
      title: 'Access to this page has been denied',
      html: '<div id="px-captcha"></div>',
      markdown: 'Press & Hold to confirm you are a human (and not a bot).',
    },
    'bot_check',
  ],
  [
    'Akamai refusal',
    {
      status: 403,
      title: 'Access Denied',
      markdown:
        '# Access Denied\n\nYou don\'t have permission to access "http://example.org/" on this server.\n\nReference #18.2f3a1602',
    },
    'denied',
  ],
  [
    'AWS WAF',
    { status: 202, html: '<script>window.gokuProps={};AwsWafIntegration.getToken()</script>' },
    'bot_check',
  ],
  [
    'Imperva',
    {
      html: '<iframe src="/_Incapsula_Resource?CWUDNSAI=9">Request unsuccessful. Incapsula incident ID: 4</iframe>',
      markdown: 'Request unsuccessful. Incapsula incident ID: 4',
    },
    'bot_check',
  ],
  [
    'Anubis',
    {
      title: "Making sure you're not a bot!",
      html: '<script id="anubis_challenge" type="application/json">{}</script>',
      markdown: "Making sure you're not a bot!",
    },
    'bot_check',
  ],
  [
    'reCAPTCHA page',
    {
      status: 429,
      html: '<div class="g-recaptcha" data-sitekey="k"></div>',
      markdown: 'Our systems have detected unusual traffic from your computer network.',
    },
    'bot_check',
  ],
  [
    'login',
    {
      title: 'Log in - Example',
      html: '<input name="u"><input type="password" name="p">',
      markdown: 'Log in to continue. Forgot your password?',
    },
    'login',
  ],
  ...['Log in', 'Sign-in | Example', 'Please log in', 'Example: sign in', 'Anmelden'].map(
    (title): (typeof BLOCK_PAGES)[number] => [
      `a form that only its title "${title}" calls a login`,
      { title, html: '<input type="password">', markdown: 'User name, password, remember me.' },
      'login',
    ],
  ),
  [
    'consent',
    {
      title: 'Before you continue to Example',
      html: '<form action="https://consent.google.com/save">',
      markdown: 'We use cookies and data to deliver services. Accept all Reject all',
    },
    'consent',
  ],
  [
    'consent page whose title tells nothing',
    {
      title: 'Example News',
      html: '<div><script src="https://cdn.privacy-mgmt.com/wrapper.js"></script><p>x</p></div>',
      markdown: 'We and our partners store cookies on your device. Accept all or manage your choices.',
    },
    'consent',
  ],
  [
    'script shell',
    {
      title: 'App',
      html: '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
    },
    'script_only',
  ],
];

const PAGES: [what: string, page: Partial<BlockPageInput>][] = [
  [
    'a page whose text was not found by extraction',
    { html: `<noscript>Please enable JavaScript.</noscript><div>${'Words. '.repeat(60)}</div>` },
  ],
  [
    'a long article on bot checks',
    {
      title: 'How "Just a moment..." works',
      html: '_cf_chl_opt captcha-delivery.com',
      markdown: 'Verify you are human. '.repeat(100),
    },
  ],
  [
    'a short note on Cloudflare',
    {
      title: 'Moving to Cloudflare',
      markdown: 'We moved our name servers to Cloudflare today. Checking your browser is switched off.',
    },
  ],
  [
    'a short page with a newsletter captcha',
    {
      title: 'Contact',
      html: '<div class="g-recaptcha"></div>',
      markdown: 'Write to us. Our office is open on weekdays.',
    },
  ],
  [
    'a short page with a login box',
    {
      title: 'Opening hours',
      html: '<input type="password">',
      markdown: 'Monday to Friday, nine to five. On public holidays we are closed.',
    },
  ],
  [
    'a page about logging in, without a form',
    { title: 'Log in', markdown: 'How the log in of the station works, and who wrote it.' },
  ],
  ['a page not found', { title: 'Page not found', markdown: 'The page you look for does not exist.' }],
  [
    'documentation of a status',
    {
      title: '403 Forbidden',
      markdown: 'The 403 status means that the server understood the request and refuses it.',
    },
  ],
  [
    'a page with text and a noscript notice',
    {
      html: '<noscript>Please enable JavaScript.</noscript>',
      markdown: 'The library opens at nine. '.repeat(6),
    },
  ],
  [
    'a page that loads a bot sensor',
    {
      html: `<script src="https://js.captcha-delivery.com/tags.js"></script>`,
      markdown: 'A short product page with its price and a sentence on delivery times within the country.',
    },
  ],
];

describe('detectBlockPage', () => {
  for (const [what, page, kind] of BLOCK_PAGES)
    test(`${what} is a block page`, () => assert.equal(detectBlockPage(shown(page)), kind));
  for (const [what, page] of PAGES)
    test(`${what} is a page`, () => assert.equal(detectBlockPage(shown(page)), null));
});

describe('an empty shell', () => {
  const page = (body: string): string => `<html><head><title>App</title></head><body>${body}</body></html>`;
  const SCRIPT = '<script src="/app.js"></script>';
  const shells: Record<string, [body: string, markdown: string]> = {
    'an element that waits': [`<div id="root"></div>${SCRIPT}`, ''],
    'a word of waiting': [
      `<p>Loading the application, which may take some seconds …</p>${SCRIPT}`,
      'Loading …',
    ],
    'a menu around a mount': [
      `<nav>${'<a href="/x">A page</a> '.repeat(12)}</nav><main id="app"></main>${SCRIPT}`,
      '[A page](/x) '.repeat(12),
    ],
  };
  for (const [what, [body, markdown]] of Object.entries(shells))
    test(what, () => assert.equal(isEmptyShell(page(body), markdown), true));

  const others: Record<string, [body: string, markdown: string]> = {
    'text that is there': [`<p>${'Words. '.repeat(60)}</p>${SCRIPT}`, 'Words. '.repeat(60)],
    'no script': ['<div id="root"></div>', ''],
    'data alone': ['<script type="application/ld+json">{}</script>', ''],
    'a short page': [
      `<p>${'A whole sentence of this page. '.repeat(4)}</p>${SCRIPT}`,
      'A whole sentence of this page. '.repeat(4),
    ],
  };
  for (const [what, [body, markdown]] of Object.entries(others))
    test(`is not ${what}`, () => assert.equal(isEmptyShell(page(body), markdown), false));
});
