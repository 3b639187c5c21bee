import type { AuthorizeRequests } from "../../areas/customer-portal/oauth/authorize-requests.ts";
import { rejectedAuthorizeRequest } from "../../areas/customer-portal/oauth/authorize-requests.ts";
import { authorizePath } from "../../areas/customer-portal/oauth/metadata.ts";
import {
  filled,
  type PortalDocs,
  type PublishedApi,
  type PublishedPage,
} from "../../areas/customer-portal/portal/docs/portal-docs.ts";
import type { PortalHosts, PortalSite } from "../../areas/customer-portal/portal/hosts/portal-hosts.ts";
import type { ProviderSignIns } from "../../areas/customer-portal/portal/provider-sign-in/provider-sign-ins.ts";
import type { PortalSessions } from "../../areas/customer-portal/portal/sessions/portal-sessions.ts";
import { accentStyle, portalIcon } from "../../areas/customer-portal/portal/settings/accent.ts";
import { findLogo } from "../../areas/customer-portal/portal/settings/portals.ts";
import { settingsOf } from "../../areas/customer-portal/portal/settings/present.ts";
import {
  type PageState,
  type PageStateServices,
  pageState,
} from "../../areas/customer-portal/portal/site/customer-pages.ts";
import { curlOf } from "../../lib/text/curl.ts";
import { accessText, canEnter, firstSteps, landingTexts } from "../../lib/text/portal-landing.ts";
import { includedIn, plansAt, priceParts } from "../../lib/text/prices.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Reads, Storage } from "../../platform/storage/storage.ts";
import { articleHtml, escaped } from "./page-html.ts";
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
    return { status: 200, ...rest, title: title === name ? name : `${title} · ${name}` };
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

type Site = PageState["site"];

/**
 * The landing page for readers without scripts and for search engines, with the elements and classes of the page that
 * scripts render, so that nothing moves when they replace it: see landing.tsx of the portal.
 */
export function landingHtml(site: Site): string {
  const { title, description, links, termsUrl, pages } = site;
  const footer = [
    ...links.map(({ label, url }) => link(url, label)),
    ...(termsUrl === undefined ? [] : [link(termsUrl, "Terms")]),
  ];
  return `<div class="site"><header class="site-head"><div class="site-bar"><a class="site-name" href="/">${mark(site)}<span class="truncate">${escaped(title)}</span></a></div>${
    pages.length === 0
      ? ""
      : '<nav class="site-nav" aria-label="Portal"><a href="/" aria-current="page">Start</a><a href="/docs">Documentation</a></nav>'
  }</header><main class="site-main"><div class="landing"><section class="landing-hero"><div class="landing-about"><h1>${escaped(title)}</h1>${
    description === undefined ? "" : `<p class="lead">${escaped(description)}</p>`
  }<p class="row row-wrap">${pages.includes("docs") ? `<a class="button" href="/docs">${landingTexts.readDocs}</a>` : ""}${
    site.plans.length > 0 ? `<a class="button" data-kind="quiet" href="#plans">${landingTexts.seePlans}</a>` : ""
  }</p></div>${accessPanel(site)}</section>${quickStart(site)}${plans(site)}${apis(site)}</div></main><footer class="site-foot"><div><span>${escaped(title)}</span>${footer.join("")}</div></footer></div>`;
}

const link = (url: string, label: string) => `<a href="${escaped(url)}" rel="noreferrer">${escaped(label)}</a>`;

const mark = ({ hasLogo }: Site) => `<img src="${hasLogo ? "/portal/logo" : "/portal/icon.svg"}" alt="">`;

function accessPanel(site: Site): string {
  const { heading, paragraphs } = accessText(site);
  const hint = canEnter(site) ? "<noscript><p>Signing in needs JavaScript.</p></noscript>" : "";
  const shown = canEnter(site) ? [] : paragraphs;
  return `<section class="enter-panel"><div class="enter"><h2>${escaped(heading)}</h2>${shown.map((text) => `<p>${escaped(text)}</p>`).join("")}${hint}</div></section>`;
}

function quickStart(site: Site): string {
  const api = site.apis.find(({ example }) => example);
  const steps = firstSteps(site).map(
    ({ title, text }) => `<li><strong>${escaped(title)}</strong><span>${escaped(text)}</span></li>`,
  );
  const code = api?.example
    ? `<div class="code-block"><div class="code-block-head"><span>${escaped(api.title)}</span></div><pre tabindex="0"><code>${escaped(curlOf(api.example, "YOUR_API_KEY"))}</code></pre></div>`
    : "";
  return `<section class="landing-section"><h2>${landingTexts.quickStart}</h2><div class="quick-start"><ol class="steps">${steps.join("")}</ol>${code}</div></section>`;
}

function plans({ plans: offers }: Site): string {
  if (offers.length === 0) return "";
  const cards = plansAt(offers, "month").map((offer) => {
    const { amount, per } = priceParts(offer);
    const included = includedIn(offer).map((text) => `<li><span>${escaped(text)}</span></li>`);
    return `<li class="plan-card"><h3>${escaped(offer.label)}</h3><p class="plan-price"><strong>${escaped(amount)}</strong>${per === undefined ? "" : ` ${escaped(per)}`}</p>${
      offer.description === undefined ? "" : `<p class="muted">${escaped(offer.description)}</p>`
    }<ul class="plan-includes">${included.join("")}</ul></li>`;
  });
  return `<section class="landing-section" id="plans"><h2>${landingTexts.plans}</h2><ul class="plan-cards" aria-label="Plans">${cards.join("")}</ul></section>`;
}

function apis({ apis: all }: Site): string {
  const documented = all.filter(({ page }) => page !== undefined);
  if (documented.length === 0) return "";
  const cards = documented.map(
    ({ title, description, page }) =>
      `<a class="step-link" href="${escaped(page!)}"><strong>${escaped(title)}</strong>${description === undefined ? "" : `<span>${escaped(description)}</span>`}</a>`,
  );
  return `<section class="landing-section"><h2>${landingTexts.reference}</h2><div class="step-links">${cards.join("")}</div></section>`;
}

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
