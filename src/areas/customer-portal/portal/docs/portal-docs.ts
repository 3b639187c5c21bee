import { imageTypeOf, keyPlaceholder, type SitePage, urlPlaceholder } from "../../../../core/artifact/site.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { LiveSite, Sites } from "../../../gateways/deployments/versions/sites.ts";
import type { PortalSite } from "../hosts/portal-hosts.ts";
import { settingsOf } from "../settings/present.ts";

/** The documentation of one of the portal's deployments. */
export interface PublishedApi {
  /** The API's part of the addresses of documentation pages. */
  slug: string;
  deployment: string;
  url: string;
  site: LiveSite;
}

export interface PublishedPage {
  api: PublishedApi;
  /** Below the API's own path. */
  path: string;
  page: SitePage;
}

/** A file that is served as it is: a page in Markdown, or an image. */
interface PublishedFile {
  type: string;
  body: Uint8Array | string;
}

/** What is shown instead of a key. */
const sampleKey = "YOUR_API_KEY";

/** The reference and the guides of portals. Callers check first that the reader may read them. */
export class PortalDocs {
  constructor(
    private readonly sites: Sites,
    private readonly urlOf: (deploymentName: string) => string,
  ) {}

  /** The APIs of a portal that have a live version with pages, in the portal's order. */
  async apis(reads: Reads, site: Pick<PortalSite, "account_seq" | "settings">): Promise<PublishedApi[]> {
    const { deployments } = settingsOf(site);
    const found = await Promise.all(deployments.map((name) => this.sites.live(reads, site.account_seq, name)));
    const live = found.filter((each) => each !== undefined);
    return live.map((each) => {
      const { name, project } = each.deployment;
      const isAlone = live.filter(({ deployment }) => deployment.project === project).length === 1;
      return { slug: isAlone ? project : name, deployment: name, url: this.urlOf(name), site: each };
    });
  }

  /** The page at a path such as `weather/operations/getForecast`; an API's own path is its overview. */
  async page(reads: Reads, site: PortalSite, path: string): Promise<PublishedPage | undefined> {
    const found = await this.#find(reads, site, path);
    const bytes = found && (await this.sites.file(reads, found.api.site, `${found.rest}.json`));
    if (!found || !bytes) return undefined;
    return { api: found.api, path: found.rest, page: JSON.parse(new TextDecoder().decode(bytes)) };
  }

  /** A page as Markdown, at its path with `.md`, or an image of a guide. */
  async file(reads: Reads, site: PortalSite, path: string): Promise<PublishedFile | undefined> {
    const found = await this.#find(reads, site, path);
    if (!found) return undefined;
    const { api, rest } = found;
    const type = imageTypeOf(rest) ?? (rest.endsWith(".md") ? "text/markdown; charset=utf-8" : undefined);
    const bytes = type && (await this.sites.file(reads, api.site, rest));
    if (!type || !bytes) return undefined;
    return { type, body: rest.endsWith(".md") ? filled(new TextDecoder().decode(bytes), api.url) : bytes };
  }

  async #find(reads: Reads, site: PortalSite, path: string): Promise<{ api: PublishedApi; rest: string } | undefined> {
    const [slug, ...rest] = path.split("/");
    const name = slug!.replace(/\.md$/, "");
    const isWhole = rest.length === 0;
    const api = (await this.apis(reads, site)).find((each) => each.slug === (isWhole ? name : slug));
    if (!api) return undefined;
    return { api, rest: isWhole ? (name === slug ? "index" : "index.md") : rest.join("/") };
  }
}

/** Text of a site with the API's address, and without a key. */
export function filled(text: string, url: string): string {
  return text.replaceAll(urlPlaceholder, url).replaceAll(keyPlaceholder, sampleKey);
}
