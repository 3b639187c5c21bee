import { rejectedAuthorizeRequest } from "../../areas/oauth/authorize-page.ts";
import type { AuthorizeRequests } from "../../areas/oauth/authorize-requests.ts";
import { authorizePath } from "../../areas/oauth/metadata.ts";
import type { PortalDocs } from "../../areas/portal/docs/portal-docs.ts";
import type { ProviderSignIns } from "../../areas/portal/provider-sign-in/provider-sign-ins.ts";
import type { PortalSessions, PortalSite } from "../../areas/portal/sessions/portal-sessions.ts";
import { accentStyle } from "../../areas/portal/settings/accent.ts";
import { findLogo } from "../../areas/portal/settings/portals.ts";
import { settingsOf } from "../../areas/portal/settings/present.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { escaped } from "./page-html.ts";
import { docsFile, docsPage, docsPath, llmsText, presentPage } from "./portal-docs-pages.ts";
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
    private readonly docs: PortalDocs,
    private readonly providerSignIns: ProviderSignIns,
    private readonly authorizeRequests: AuthorizeRequests,
    private readonly clock: Clock,
  ) {
    this.#files = files && new WebFiles(files);
    this.#page = this.#files?.page ?? "";
  }

  /** Handles GET and HEAD of a path of a portal. */
  async handle(request: HttpRequest, path: string): Promise<HttpResponse> {
    const site = await this.sessions.siteOf(request);
    if (path === "/portal/theme.css") return style(request, accentStyle(settingsOf(site).accentColor));
    if (path === "/portal/logo") return this.#logo(site);
    if (path === "/sign-in/provider/sign-out") return this.#signOut(request, site);
    if (path === "/llms.txt" || (path.startsWith(docsPath) && /\.(md|png|jpe?g|webp|gif|svg)$/i.test(path)))
      return this.#docsFile(request, site, path);
    const rejected = path === authorizePath ? await this.#rejected(request, site) : undefined;
    if (rejected) return rejected;
    if (path === "/robots.txt") return plainText(200, "User-agent: *\nDisallow: /portal/\n");
    if (!this.#files)
      return plainText(503, "The portal was not built. Run `npm run build:web`, then start the server again.\n");
    const file = path.startsWith(filesPath) ? this.#files.find(request, path.slice(filesPath.length)) : undefined;
    if (file) return file;
    const { status, ...texts } = await this.#textsOf(request, site, path);
    const body = new TextEncoder().encode(
      pageOf(this.#page, site, texts, this.sessions.originOf(request) + (path.startsWith(docsPath) ? path : "/")),
    );
    const page = sendPage(request, { type: "text/html; charset=utf-8", body, isGzip: false });
    return status === 200 || page.status !== 200 ? page : new HttpResponse(status, page.headers, page.body);
  }

  #rejected(request: HttpRequest, site: PortalSite): Promise<HttpResponse | undefined> {
    const asked = { request, site, now: this.clock.now() };
    return rejectedAuthorizeRequest(this.authorizeRequests, this.sessions, this.storage.reads, asked);
  }

  /** The Markdown versions of pages, images of guides, and the list of pages for language models. */
  async #docsFile(request: HttpRequest, site: PortalSite, path: string): Promise<HttpResponse> {
    const { reads } = this.storage;
    const mayRead = await this.sessions.mayReadDocs(reads, site, request, this.clock.now());
    if (path === "/llms.txt") return plainText(200, llmsText(site, mayRead ? await this.docs.apis(reads, site) : []));
    return mayRead ? docsFile(this.docs, reads, site, path) : plainText(401, "Sign in to read this.\n");
  }

  async #textsOf(request: HttpRequest, site: PortalSite, path: string): Promise<PageTexts & { status: number }> {
    const { title: name, description } = settingsOf(site);
    const own = { title: name, description: description ?? `API keys and usage of ${name}.`, content: "" };
    const { reads } = this.storage;
    if (!path.startsWith(docsPath) || !(await this.sessions.mayReadDocs(reads, site, request, this.clock.now())))
      return { status: 200, ...own };
    const found = await docsPage(this.docs, reads, site, path);
    if (!found) return { status: 404, ...own };
    const { title, ...rest } = presentPage(found);
    return { status: 200, ...rest, title: `${title} · ${name}` };
  }

  /** The page has ended the session: this leads to the identity provider, to end the session there. */
  async #signOut(request: HttpRequest, site: PortalSite): Promise<HttpResponse> {
    const home = `${this.sessions.originOf(request)}/`;
    const location = (await this.providerSignIns.signOutUrl(site, home)) ?? home;
    return new HttpResponse(302, new HttpHeaders({ location, "cache-control": "no-store" }));
  }

  /** An image and nothing else: the browser runs nothing in it. */
  async #logo({ id }: PortalSite): Promise<HttpResponse> {
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

interface PageTexts {
  title: string;
  description: string;
  /** HTML. */
  content: string;
}

/** The page with the texts of the business, for search engines, link previews, and readers without scripts. */
function pageOf(template: string, site: PortalSite, { title, description, content }: PageTexts, url: string): string {
  const hasLogo = site.logo_type !== null;
  const texts: Record<string, string> = {
    title: escaped(title),
    name: escaped(settingsOf(site).title),
    description: escaped(description),
    icon: hasLogo ? "/portal/logo" : "data:,",
    url: escaped(url),
    // Link previews need whole addresses.
    image: hasLogo ? `<meta property="og:image" content="${escaped(new URL("/portal/logo", url).href)}">` : "",
    content,
  };
  return template.replaceAll(/\{(title|name|description|icon|url|image|content)\}/g, (_, name: string) => texts[name]!);
}
