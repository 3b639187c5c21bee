import type { PortalSessions, Site } from "../../areas/portal/sessions/portal-sessions.ts";
import { accentStyle } from "../../areas/portal/settings/accent.ts";
import { findLogo } from "../../areas/portal/settings/portals.ts";
import { settingsOf } from "../../areas/portal/settings/present.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { plainText, sendPage, WebFiles } from "./web-files.ts";
import type { WebFile } from "./web-pack.ts";

const filesPath = "/portal/";

/** Serves the pages of portals. They have the title, logo and colours of the business from the first byte. */
export class PortalPages {
  readonly #files: WebFiles | undefined;
  readonly #page: string;

  constructor(
    files: WebFile[] | undefined,
    private readonly storage: Storage,
    private readonly sessions: PortalSessions,
  ) {
    this.#files = files && new WebFiles(files);
    this.#page = this.#files?.page ?? "";
  }

  /** Handles GET and HEAD of a path of a portal. */
  async handle(request: HttpRequest, path: string): Promise<HttpResponse> {
    const site = await this.sessions.siteOf(request);
    if (path === "/portal/theme.css") return style(request, accentStyle(settingsOf(site).accentColor));
    if (path === "/portal/logo") return this.#logo(site);
    if (path === "/robots.txt") return plainText(200, "User-agent: *\nDisallow: /portal/\n");
    if (!this.#files)
      return plainText(503, "The portal was not built. Run `npm run build:web`, then start the server again.\n");
    const file = path.startsWith(filesPath) ? this.#files.find(request, path.slice(filesPath.length)) : undefined;
    if (file) return file;
    const body = new TextEncoder().encode(pageOf(this.#page, site));
    return sendPage(request, { type: "text/html; charset=utf-8", body, isGzip: false });
  }

  /** An image and nothing else: the browser runs nothing in it. */
  async #logo({ id }: Site): Promise<HttpResponse> {
    const logo = await findLogo(this.storage.reads, id);
    if (!logo) return plainText(404, "This portal has no logo.\n");
    const headers = {
      "content-type": logo.type,
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-cache",
    };
    return new HttpResponse(200, new HttpHeaders(headers), logo.bytes);
  }
}

function style(request: HttpRequest, text: string): HttpResponse {
  const body = new TextEncoder().encode(text);
  return sendPage(request, { type: "text/css; charset=utf-8", body, isGzip: false });
}

/** The page with the texts of the business, for search engines, link previews, and readers without scripts. */
function pageOf(template: string, site: Site): string {
  const { title, description } = settingsOf(site);
  const texts: Record<string, string> = {
    title: escaped(title),
    description: escaped(description ?? `API keys and usage of ${title}.`),
    icon: site.logo_type === null ? "data:," : "/portal/logo",
  };
  return template.replaceAll(/\{(title|description|icon)\}/g, (_, name: string) => texts[name]!);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
