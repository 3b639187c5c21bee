import type { Act } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { hostnameOf, isLoopbackHost } from "../../../../lib/network/hosts.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { withOwnCustomers } from "../settings/portals.ts";
import { settingsOf } from "../settings/present.ts";
import { findSite, type SiteRow } from "../store.ts";
import type { PortalDirectory, PortalPlace } from "./directory.ts";

/** An enabled portal with its account and bucket. */
export type PortalSite = SiteRow;

interface PortalHostsOptions {
  storage: Storage;
  directory: PortalDirectory;
  /** The origin of a portal, such as `https://main-1a2b3c4.portal.example.com`. */
  originOf(place: Pick<PortalPlace, "name" | "host">): string;
}

/** Which portal the host of a request is, and whether a page of that portal sent it. */
export class PortalHosts {
  /** The session and the operation of a request need the same portal. */
  readonly #sites = new WeakMap<HttpRequest, Promise<PortalSite>>();

  constructor(private readonly options: PortalHostsOptions) {}

  /** The portal at the host of a request, which is read once. Throws 404 if there is none. */
  siteOf(request: HttpRequest): Promise<PortalSite> {
    const known = this.#sites.get(request);
    if (known) return known;
    const site = this.#read(request);
    this.#sites.set(request, site);
    return site;
  }

  async #read(request: HttpRequest): Promise<PortalSite> {
    const place = this.#placeOf(request);
    const site = await findSite(this.options.storage.reads, place.id);
    if (!site) throw new Problem("portal_not_found");
    const { account_seq, bucket_name } = site;
    const settings = settingsOf(site);
    const own = await withOwnCustomers(this.options.storage.reads, account_seq, bucket_name, settings);
    return own === settings ? site : { ...site, settings: JSON.stringify(own) };
  }

  /** The origin of the portal at the host of a request. */
  originOf(request: HttpRequest): string {
    return this.options.originOf(this.#placeOf(request));
  }

  isSecure(request: HttpRequest): boolean {
    return this.originOf(request).startsWith("https:");
  }

  /** Throws unless a page of the portal itself sent the request, with JSON if it has a body. */
  checkOrigin(request: HttpRequest): void {
    const own = this.originOf(request);
    const origin = request.headers.get("origin");
    if (origin !== own)
      throw new Problem("origin_mismatch", {
        detail: `The request must come from a page of ${own}; its Origin is ${origin ?? "missing"}.`,
      });
    const hasBody = request.body != null && request.body.length !== 0;
    // Forms of other sites can send text and form data without a preflight, but not JSON.
    if (hasBody && !/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
      throw new Problem("unsupported_media_type", { detail: "Bodies sent to a portal must be application/json." });
    // Browsers would not store the cookie, or would send it unencrypted.
    if (!own.startsWith("https:") && !isLoopbackHost(hostnameOf(new URL(own).host)))
      throw new Problem("insecure_origin");
  }

  #placeOf(request: HttpRequest): PortalPlace {
    const place = this.options.directory.find(request.headers.get("host") ?? "");
    if (!place) throw new Problem("portal_not_found");
    return place;
  }
}

export function portalAccountOf({ account_seq: seq, account_id: id, account_name: name }: PortalSite): Act["account"] {
  return { seq, id, name };
}
