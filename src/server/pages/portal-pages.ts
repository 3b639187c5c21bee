import { rejectedAuthorizeRequest } from "../../areas/oauth/authorize-page.ts";
import type { AuthorizeRequests } from "../../areas/oauth/authorize-requests.ts";
import { authorizePath } from "../../areas/oauth/metadata.ts";
import type { PortalDocs } from "../../areas/portal/docs/portal-docs.ts";
import type { PortalHosts, PortalSite } from "../../areas/portal/hosts/portal-hosts.ts";
import type { ProviderSignIns } from "../../areas/portal/provider-sign-in/provider-sign-ins.ts";
import type { PortalSessions } from "../../areas/portal/sessions/portal-sessions.ts";
import { accentStyle } from "../../areas/portal/settings/accent.ts";
import { portalIcon } from "../../areas/portal/settings/icon.ts";
import { findLogo } from "../../areas/portal/settings/portals.ts";
import { settingsOf } from "../../areas/portal/settings/present.ts";
import { type PageState, type PageStateServices, pageState } from "../../areas/portal/site/page-state.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { escaped } from "./page-html.ts";
import { docsFile, docsPage, docsPath, llmsText, presentPage } from "./portal-docs-pages.ts";
import { landingHtml } from "./portal-landing.ts";
import { plainText, sendPage, WebFiles, webHeaders } from "./web-files.ts";
import type { WebFile } from "./web-pack.ts";

const filesPath = "/portal/";

interface PortalPageServices {
  storage: Storage;
  hosts: PortalHosts;
  sessions: PortalSessions;
  docs: PortalDocs;
  /** What the pages begin with. */
  pages: PageStateServices;
  providerSignIns: ProviderSignIns;
  authorizeRequests: AuthorizeRequests;
  clock: Clock;
}

/** Serves the pages of portals. They have the title, logo and colours of the business from the first byte. */
export class PortalPages {
  readonly #files: WebFiles | undefined;
  readonly #page: string;

  constructor(
    files: WebFile[] | undefined,
    private readonly services: PortalPageServices,
  ) {
    this.#files = files && new WebFiles(files);
    this.#page = this.#files?.page ?? "";
  }

  /** Handles GET and HEAD of a path of a portal. */
  async handle(request: HttpRequest, path: string): Promise<HttpResponse> {
    const { hosts } = this.services;
    const site = await hosts.siteOf(request);
    if (path === "/portal/theme.css") return style(request, accentStyle(settingsOf(site).accentColor));
    if (path === "/portal/logo") return this.#logo(site);
    if (path === "/portal/icon.svg") return image("image/svg+xml", portalIcon(settingsOf(site)));
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
    const { reads } = this.services.storage;
    const state = await pageState(this.services.pages, reads, site, request, this.services.clock.now());
    const { status, ...texts } = await this.#textsOf(site, path, state);
    const isOpen = path === "/" || path.startsWith(docsPath);
    const body = pageOf(this.#page, state, texts, hosts.originOf(request) + (isOpen ? path : "/"));
    // It has the session: neither another visitor nor the way back after a sign-out must get a stored copy.
    const headers = { "content-type": "text/html; charset=utf-8", ...webHeaders, "cache-control": "no-store" };
    return new HttpResponse(status, new HttpHeaders(headers), body);
  }

  #rejected(request: HttpRequest, site: PortalSite): Promise<HttpResponse | undefined> {
    const { authorizeRequests, hosts, storage, clock } = this.services;
    const asked = { request, site, now: clock.now() };
    return rejectedAuthorizeRequest(authorizeRequests, hosts, storage.reads, asked);
  }

  /** The Markdown versions of pages, images of guides, and the list of pages for language models. */
  async #docsFile(request: HttpRequest, site: PortalSite, path: string): Promise<HttpResponse> {
    const { docs, sessions, clock, storage } = this.services;
    const { reads } = storage;
    const mayRead = await sessions.mayReadDocs(reads, site, request, clock.now());
    if (path === "/llms.txt") return plainText(200, llmsText(site, mayRead ? await docs.apis(reads, site) : []));
    return mayRead ? docsFile(docs, reads, site, path) : plainText(401, "Sign in to read this.\n");
  }

  async #textsOf(site: PortalSite, path: string, state: PageState): Promise<PageTexts & { status: number }> {
    const { title: name, description = `API keys and usage of ${name}.` } = state.site;
    const own = { title: name, description, content: "" };
    const isSignedOut = state.session === null;
    if (path === "/" && isSignedOut) return { status: 200, ...own, content: landingHtml(state.site) };
    if (path === "/sign-in") return { status: 200, ...own, title: `Sign in · ${name}` };
    if (!path.startsWith(docsPath) || (isSignedOut && !state.site.isReferencePublic)) return { status: 200, ...own };
    const found = await docsPage(this.services.docs, this.services.storage.reads, site, path);
    if (!found) return { status: 404, ...own };
    const { title, ...rest } = presentPage(found);
    return { status: 200, ...rest, title: `${title} · ${name}` };
  }

  /** The page has ended the session: this leads to the identity provider, to end the session there. */
  async #signOut(request: HttpRequest, site: PortalSite): Promise<HttpResponse> {
    const home = `${this.services.hosts.originOf(request)}/`;
    const location = (await this.services.providerSignIns.signOutUrl(site, home)) ?? home;
    return new HttpResponse(302, new HttpHeaders({ location, "cache-control": "no-store" }));
  }

  async #logo({ id }: PortalSite): Promise<HttpResponse> {
    const logo = await findLogo(this.services.storage.reads, id);
    return logo ? image(logo.type, logo.bytes) : plainText(404, "This portal has no logo.\n");
  }
}

/** An image and nothing else: the browser runs nothing in it. */
function image(type: string, body: Uint8Array | string): HttpResponse {
  const headers = {
    "content-type": type,
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
  };
  return new HttpResponse(200, new HttpHeaders(headers), body);
}

function style(request: HttpRequest, text: string): HttpResponse {
  const body = new TextEncoder().encode(text);
  return sendPage(request, { type: "text/css; charset=utf-8", body, isGzip: false });
}

const accentLink = '<link rel="stylesheet" href="/portal/theme.css">';

interface PageTexts {
  title: string;
  description: string;
  /** HTML. */
  content: string;
}

/** The page with the texts of the business, for search engines, link previews, and readers without scripts. */
function pageOf(template: string, state: PageState, { title, description, content }: PageTexts, url: string): string {
  const { hasLogo, title: name } = state.site;
  const icon = hasLogo ? "/portal/logo" : "/portal/icon.svg";
  // Link previews need whole addresses.
  const image = hasLogo ? `<meta property="og:image" content="${escaped(new URL("/portal/logo", url).href)}">` : "";
  const texts = { title, name, description, icon, url, state: JSON.stringify(state) };
  return filledPage(template, texts, { image, accent: accentLink, content });
}

/** The page with these texts, which are escaped, and these parts, which are HTML. What is not given is empty. */
export function filledPage(
  template: string,
  texts: { title: string; name: string; icon: string; state: string; description?: string; url?: string },
  html: { image?: string; accent?: string; content?: string } = {},
): string {
  const all: Record<string, string | undefined> = { ...texts };
  const parts: Record<string, string | undefined> = { ...html };
  return template.replaceAll(
    /\{(title|name|description|icon|url|image|accent|state|content)\}/g,
    (_, key: string) => parts[key] ?? escaped(all[key] ?? ""),
  );
}
