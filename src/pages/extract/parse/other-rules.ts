import { endInBody } from './body-end.ts';
import { startInBody } from './body-start.ts';
import { addElement, type Mode, openElement } from './builder.ts';
import { endTemplate, startHeadContent } from './head-rules.ts';
import { HEAD_CONTENT } from './names.ts';
import { isCurrent, popOne } from './open-elements.ts';
import { type EndRule, type StartRule, switchMode } from './rules.ts';

type OtherMode = 'inBody' | 'inTemplate' | 'inFrameset' | 'afterFrameset';

const TEMPLATE_MODES: Record<string, Mode> = {
  caption: 'inTable',
  colgroup: 'inTable',
  tbody: 'inTable',
  tfoot: 'inTable',
  thead: 'inTable',
  col: 'inColumnGroup',
  tr: 'inTableBody',
  td: 'inRow',
  th: 'inRow',
};

/** Start tags in the body, in templates and frame sets, by mode. */
export const OTHER_START: Record<OtherMode, StartRule> = {
  inBody: startInBody,
  inTemplate(builder, token) {
    if (HEAD_CONTENT.has(token.tag)) return startHeadContent(builder, token);
    const mode = Object.hasOwn(TEMPLATE_MODES, token.tag) ? TEMPLATE_MODES[token.tag] : 'inBody';
    builder.templateModes[builder.templateModes.length - 1] = mode ?? 'inBody';
    return switchMode(builder, mode ?? 'inBody');
  },
  inFrameset(builder, token) {
    if (token.tag === 'html') return startInBody(builder, token);
    if (token.tag === 'noframes') return startHeadContent(builder, token);
    if (token.tag === 'frameset') openElement(builder, token.tag, token.attributes);
    else if (token.tag === 'frame') addElement(builder, token.tag, token.attributes);
    return 'markup';
  },
  afterFrameset(builder, token) {
    if (token.tag === 'html') return startInBody(builder, token);
    return token.tag === 'noframes' ? startHeadContent(builder, token) : 'markup';
  },
};

/** End tags, by mode. */
export const OTHER_END: Record<OtherMode, EndRule> = {
  inBody(builder, tag) {
    endInBody(builder, tag);
    return false;
  },
  inTemplate(builder, tag) {
    if (tag === 'template') endTemplate(builder);
    return false;
  },
  inFrameset(builder, tag) {
    if (tag !== 'frameset' || builder.open.elements.length < 2) return false;
    popOne(builder.open);
    if (!isCurrent(builder.open, 'frameset')) builder.mode = 'afterFrameset';
    return false;
  },
  afterFrameset: () => false,
};
