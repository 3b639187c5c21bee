import type { PageNode } from "../../core/artifact/site.ts";
import type { Located } from "../documents/located.ts";
import { externalLinks, renderMarkdown } from "./markdown.ts";

/** Longer descriptions are cut: a page must stay readable, and small. */
const maxLength = 50_000;

/** The text of a `description`, which is Markdown. */
export function markdownOf(description: Located | undefined): string {
  const text = description?.value;
  return typeof text === "string" ? text.slice(0, maxLength).trim() : "";
}

/** The same schemas are described on many pages. A builder runs once. */
const rendered = new Map<string, PageNode[]>();

/** A `description` as elements. Undefined if there is none. */
export function descriptionOf(description: Located | undefined): PageNode[] | undefined {
  const text = markdownOf(description);
  if (text === "") return undefined;
  const known = rendered.get(text) ?? render(text);
  rendered.set(text, known);
  return known;
}

function render(text: string): PageNode[] {
  // Most are one line without any markup.
  if (/^[\w ,.;:'"()/%+=-]+$/.test(text) && !/(^|\s)[-+=]|\d\.\s|__|www\.|https?:/.test(text))
    return [{ tag: "p", children: [text] }];
  const { title, nodes } = renderMarkdown(text, externalLinks);
  return title === undefined ? nodes : [{ tag: "h2", children: [title] }, ...nodes];
}

const maxJson = 300;

/** A value as JSON, cut if it is long. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > maxJson ? `${text.slice(0, maxJson)}…` : text;
}
