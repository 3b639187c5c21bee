import type { OperationPage, PageElement, PageNode, SitePage } from "../../core/artifact/site.ts";

/** Elements without children. */
const empty = new Set(["hr", "br", "img"]);

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The nodes of a page as HTML. All text is escaped. `base` is the path of the API's pages. */
function htmlOf(nodes: readonly PageNode[], base: string): string {
  return nodes.map((node) => (typeof node === "string" ? escaped(node) : elementHtml(node, base))).join("");
}

function elementHtml({ tag, id, href, src, alt, title, start, children = [] }: PageElement, base: string): string {
  const attributes = { id, href: href && addressOf(href, base), src: src && addressOf(src, base), alt, title, start };
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join("");
  return empty.has(tag) ? `<${tag}${written}>` : `<${tag}${written}>${htmlOf(children, base)}</${tag}>`;
}

/** Replaces the scheme `page:` or `file:` by the path of the API's pages. */
function addressOf(address: string, base: string): string {
  return address.replace(/^(page|file):/, `${base}/`);
}

/** A page for browsers without scripts, and for search engines. Scripts replace it by the same page with highlighted code. */
export function articleHtml({ title, nodes, operation }: SitePage, base: string): string {
  return `<h1>${escaped(title)}</h1>${operation ? lineOf(operation) : ""}${htmlOf(nodes, base)}${operation ? partsOf(operation, base) : ""}`;
}

function lineOf({ method, path }: OperationPage): string {
  return `<p><code>${escaped(method)} ${escaped(path)}</code></p>`;
}

function partsOf({ parameters, responses }: OperationPage, base: string): string {
  const items = parameters.map(
    ({ name, schema, isRequired, description = [] }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(schema.type)}${isRequired ? ", required" : ""}</td><td>${htmlOf(description, base)}</td></tr>`,
  );
  const table = items.length === 0 ? "" : `<h2>Parameters</h2><table><tbody>${items.join("")}</tbody></table>`;
  const sections = responses.map(
    ({ status, description = [] }) => `<h3>${escaped(status)}</h3>${htmlOf(description, base)}`,
  );
  return table + (sections.length === 0 ? "" : `<h2>Responses</h2>${sections.join("")}`);
}
