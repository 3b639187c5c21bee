import { filled, type PortalDocs, type PublishedApi, type PublishedPage } from "../../areas/portal/docs/portal-docs.ts";
import type { PortalSite } from "../../areas/portal/hosts/portal-hosts.ts";
import { settingsOf } from "../../areas/portal/settings/present.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { articleHtml } from "./page-html.ts";
import { plainText } from "./web-files.ts";

export const docsPath = "/docs/";

/** Files of a project are shown, never run: not even scripts in an SVG image. */
const fileHeaders = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-cache",
};

/** The page of a path below /docs/. Undefined if there is none. */
export function docsPage(
  docs: PortalDocs,
  reads: Reads,
  site: PortalSite,
  path: string,
): Promise<PublishedPage | undefined> {
  return docs.page(reads, site, pathIn(path));
}

/** A Markdown version of a page, or an image of a guide. */
export async function docsFile(docs: PortalDocs, reads: Reads, site: PortalSite, path: string): Promise<HttpResponse> {
  const file = await docs.file(reads, site, pathIn(path));
  if (!file) return plainText(404, "There is no such file.\n");
  return new HttpResponse(200, new HttpHeaders({ "content-type": file.type, ...fileHeaders }), file.body);
}

function pathIn(path: string): string {
  const rest = path.slice(docsPath.length).replace(/\/$/, "");
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}

/** The page's texts for its head, and its content. */
export function presentPage({ api, page }: PublishedPage): { title: string; description: string; content: string } {
  const { title, description } = page;
  const content = `<main class="docs-static prose">${filled(articleHtml(page, `${docsPath}${api.slug}`), api.url)}</main>`;
  return { title, description, content };
}

/** https://llmstxt.org: what the portal has, with a link to the Markdown version of each page. */
export function llmsText(site: PortalSite, apis: readonly PublishedApi[]): string {
  const { title, description } = settingsOf(site);
  const parts = [`# ${inLine(title)}`];
  if (description !== undefined) parts.push(`> ${inLine(description)}`);
  for (const { slug, url, site: live } of apis) {
    const { navigation } = live.contents;
    const base = `${docsPath}${slug}`;
    const intro = [`The API ${inLine(navigation.title)} is at ${url}.`, inLine(navigation.description)];
    parts.push(intro.filter((text) => text !== "").join(" "));
    const link = (page: string, label: string, text?: string) =>
      `- [${inLine(label).replaceAll(/[[\]]/g, "")}](${base}/${encodeURI(page)}.md)${text ? `: ${inLine(text)}` : ""}`;
    for (const group of [...navigation.guides, ...navigation.reference])
      parts.push(
        `## ${inLine(apis.length > 1 ? `${navigation.title}: ${group.label}` : group.label)}`,
        group.entries
          .map(({ page, label, method, path, text }) =>
            link(page, method === undefined ? label : `${label} (${method} ${path})`, text),
          )
          .join("\n"),
      );
  }
  return `${parts.join("\n\n")}\n`;
}

const inLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
