/** The form of answer that a question about a program asks for. */
export type AskedForm = keyof typeof FORMS;

/** Patterns per form: how a question asks for it, and what a passage that answers it usually contains. */
const FORMS = {
  default: {
    asks: /\bdefaults?\b|\bout of the box\b|\bif (?:i|you) (?:do nothing|leave|pass no|give no|name no|change nothing|configure nothing)|\bif (?:none|nothing|not) \b|\bwhen (?:i|you) (?:choose|name|give) no|默认|缺省|預設|既定|デフォルト|기본|ค่าเริ่มต้น/i,
    holds:
      /\bdefaults?\b|\bby default\b|\binitially\b|\bif (?:not|none|no|omitted)\b|\bis (?:not|un)(?:given|specified)\b|默认|缺省|預設|既定|デフォルト|기본|ค่าเริ่มต้น/i,
  },
  limit: {
    asks: /\b(?:max(?:imum)?|min(?:imum)?|limits?|at (?:most|least|once)|how (?:many|much|large|big|long|deep|often|far)|largest|longest|biggest|highest|shortest|smallest|most|size of|number of)\b|多少|几|幾|最大|最小|上限|いくつ|몇|얼마|최대|กี่|เท่าไร/i,
    holds: /\d|\b(?:one|two|three|four|five|ten|twice|maximum|limit|at most|no more than|up to|unlimited)\b/i,
  },
  command: {
    asks: /\b(?:commands?|syntax|usage|snippet|code|install|example|cli|function|method|option|flag|query|script|configure|setting)\b|\bhow (?:do|can|could|should) (?:i|you|we)\b|\bhow to\b|命令|怎么|怎样|如何|コマンド|方法|명령|방법|คำสั่ง|อย่างไร/i,
    holds: /`|(?:^|\s)--?[a-zA-Z]|\w\(|[a-z]_[a-z]|\b[A-Z]{2,}_|^[ \t]{0,8}[$>] |(?:^|\s)[/~.][\w/]/m,
  },
  definition: {
    asks: /^(?:what(?:'s| is| are| does| do)\b|meaning|definition|difference|purpose|explain)|\b(?:mean|meant|stand for|used for|difference between)\b|是什么|什么是|とは|무엇|คืออะไร/i,
    holds:
      /^[^.!?]{0,80}\b(?:is|are|means?|refers?|specif(?:y|ies)|sets?|determines?|controls?|defines?|provides?|allows?|stands?|consists?)\b|是|です|입니다|คือ/i,
  },
  version: {
    asks: /\b(?:which|what|since) (?:version|release)|\bsince when\b|\bwhen (?:was|were) .{1,60}(?:added|introduced|removed)|\bversions?\b|版本|バージョン|버전|รุ่น/i,
    holds:
      /\b(?:versions?|releases?|since|new in|introduced|added|available (?:in|with|since)|prior to|as of)\b.{0,40}\d|\d\.\d/i,
  },
  outcome: {
    asks: /\b(?:returns?|gives?|yields?|raises?|throws?|errors?|exceptions?|exit (?:code|status)|results?|happens?|outputs?|prints?)\b/i,
    holds:
      /\b(?:returns?|yields?|raised?s?|throws?|thrown|errors?|exceptions?|exits?|status|results?|fails?)\b/i,
  },
  choice: {
    asks: /^(?:is|are|was|can|could|does|do|did|may|must|should|will|has|have)\b|吗[?？]?$|ですか|나요|ไหม/i,
    holds:
      /\b(?:not|cannot|never|no|can|may|must|should|only|always|possible|allowed|supported|yes|safe)\b|n['’]t\b|不|可以|ません|はい|いいえ|아니|예\b|ไม่/i,
  },
  place: {
    asks: /\bwhere\b|\b(?:which|what) (?:file|directory|folder|path|table|queue)|哪里|哪儿|哪个(?:文件|目录)|どこ|ファイルは|어디|ที่ไหน/i,
    holds: /(?:^|[\s`"'(（])[~/][\w./-]+|\b(?:files?|director(?:y|ies)|folders?|tables?)\b|\.\w{2,5}\b/i,
  },
  reason: {
    asks: /^why\b|\breasons?\b|为什么|なぜ|왜|ทำไม/i,
    holds: /\b(?:because|since|so that|due to|reasons?|in order to|therefore|thus)\b|因为|ため|때문|เพราะ/i,
  },
} satisfies Record<string, { asks: RegExp; holds: RegExp }>;

export const ASKED_FORMS = Object.keys(FORMS) as AskedForm[];

/** Detects the forms that a question asks for. */
export function detectAskedForms(question: string): AskedForm[] {
  return ASKED_FORMS.filter((form) => FORMS[form].asks.test(question));
}

/** True when a passage contains what usually answers a question of the form. */
export function matchesForm(passage: string, form: AskedForm): boolean {
  return FORMS[form].holds.test(passage);
}
