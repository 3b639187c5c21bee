import type { PageElement, PageNode } from "../../core/artifact/site.ts";
import { decodedEntities } from "./entities.ts";

/** Longer code is shown without colours. */
const maxLength = 20_000;

/** Loaded with the first code block: the grammars take longer to load than most projects to build. */
const grammars = (): typeof import("./grammars.js") => require("./grammars.js");

/** Code as text and spans that say what each part is. Plain text if the language is unknown. */
export function highlighted(code: string, language: string): PageNode[] {
  if (code.length > maxLength) return [code];
  const { highlighter } = grammars();
  if (!highlighter.getLanguage(language)) return [code];
  const root: PageElement = { tag: "span", children: [] };
  const open = [root];
  // The output is text with entities, and spans with a class.
  for (const [, kind, end, text] of highlighter
    .highlight(code, { language, ignoreIllegals: true })
    .value.matchAll(/<span class="(?:hljs-)?([\w-]*)[^"]*">|(<\/span>)|([^<]+)/g)) {
    const parent = open.at(-1)!;
    if (text !== undefined) parent.children!.push(decodedEntities(text));
    else if (end !== undefined) open.pop();
    else {
      const span: PageElement = { tag: "span", kind: kind!, children: [] };
      parent.children!.push(span);
      open.push(span);
    }
  }
  return root.children!;
}
