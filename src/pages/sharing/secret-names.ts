/**
 * Parameters whose value grants access. Names are compared in lower case and without `-`, `_` and `.`, so that
 * `access_token` and `accessToken` are one.
 */
export const SECRET_NAMES: ReadonlySet<string> = new Set(
  `accesskey accesskeyid activation activationcode apikey appkey assertion auth authcode authkey authorization
  awsaccesskeyid bearer cftoken clientsecret code confirmation confirmationcode confirmationtoken credential credentials
  cred csrf googleaccessid hdnea hdnts hmac idtoken invitation invite invitecode jwt key keypairid loginhash
  logintoken magic magiclink nonce oauthverifier onetimecode otp ott pass passcode passphrase passwd password pin pwd
  resetcode resetkey resourcekey samlart samlresponse secret sess session sessionid sessionkey sessid sharekey
  sharetoken sid sig sign signature ssotoken subscriptionkey ticket tok token unlock unsubscribe userpass
  verification verificationcode verifycode xsrf phpsessid jsessionid jsession aspxauth cfid`.split(/\s+/),
);

/** Endings of such names: `page_access_token`, `X-Amz-Signature`. */
export const SECRET_ENDINGS: readonly string[] = [
  'token',
  'secret',
  'password',
  'signature',
  'apikey',
  'sessionid',
  'sessid',
  'credential',
  'securitykey',
];

/** Beginnings of the parameters of signed addresses, as written, in lower case. */
export const SECRET_BEGINNINGS: readonly string[] = [
  'x-amz-',
  'x-goog-',
  'x-oss-',
  'x-cos-',
  'x-ms-',
  'x-obs-',
  'aspsessionid',
  'oauth_',
];

/** Sets of parameters that form a signature together but are common words alone, with the number that is enough. */
export const SECRET_SETS: readonly { names: readonly string[]; atLeast: number }[] = [
  // Shared access signatures of Azure storage.
  { names: ['sv', 'se', 'sp', 'sr', 'st', 'spr', 'skoid', 'sktid', 'ske'], atLeast: 3 },
  // CloudFront.
  { names: ['expires', 'policy', 'keypairid'], atLeast: 2 },
];

/** Parts of a path after which a random part is a secret: `/reset/9f8a...`. */
export const SECRET_PLACES: ReadonlySet<string> = new Set(
  `access activate activation auth authorize capability confirm confirmation download-link invite invitation join key
  login magic magic-link password password-reset private recover reset reset-password s secret session share shared
  sharing signed signin sign-in sso t ticket token unlock unsubscribe verification verify verify-email`.split(
    /\s+/,
  ),
);
