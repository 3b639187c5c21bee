import { z } from "zod";
import { Problem } from "../../../core/problems/problem.ts";
import { isLoopbackHost } from "../../../lib/network/hosts.ts";
import type { Egress } from "../../../platform/egress/egress.ts";
import { fetchBytes } from "../../../platform/egress/fetch-bytes.ts";
import { OAuthRejected } from "./oauth-error.ts";
import { redirectUriError } from "./redirect-uris.ts";
import { clientName } from "./schema.ts";

const timeoutSeconds = 5;
const maxBytes = 64 * 1024;
const maxUrlLength = 2048;
const maxRedirects = 20;
/** A document is fetched again after this time, and a failure is repeated for this time. */
const freshMilliseconds = 5 * 60_000;
const failedMilliseconds = 30_000;
const maxCached = 1000;
/** Fetches at a time, for one customer and for all. */
const maxFetchesOfCustomer = 2;
const maxFetches = 20;
/** Lists of clients show all redirect addresses. */
const maxRedirectsLength = 4000;

/** The metadata of a client. */
export interface ClientDocument {
  url: string;
  name: string;
  redirectUris: string[];
}

/** Whether a `client_id` is the URL of a document (draft-ietf-oauth-client-id-metadata-document). */
export function isDocumentUrl(clientId: string): boolean {
  if (!/^https?:\/\//.test(clientId) || clientId.length > maxUrlLength || !/^[\x21-\x7e]+$/.test(clientId))
    return false;
  const url = URL.parse(clientId);
  if (!url || url.href !== clientId || url.username !== "" || url.password !== "" || clientId.includes("#"))
    return false;
  if (url.pathname === "/" || url.hostname === "") return false;
  // Plain http for development on this machine only, as far as the egress rules allow it.
  return url.protocol === "https:" || isLoopbackHost(url.hostname);
}

const document = z.object({
  client_id: z.string(),
  client_name: clientName.optional(),
  redirect_uris: z
    .array(z.string().refine((uri) => redirectUriError(uri) === undefined))
    .min(1)
    .max(maxRedirects)
    .refine((uris) => uris.join("").length <= maxRedirectsLength),
  token_endpoint_auth_method: z.literal("none").optional(),
  grant_types: z
    .array(z.string())
    .refine((types) => types.includes("authorization_code"))
    .optional(),
});

/**
 * Fetches the metadata documents of clients through the egress rules. Only a signed-in customer causes a fetch. All
 * failures return the same error, so that they reveal nothing about the server's network.
 */
export class ClientDocuments {
  readonly #cached = new Map<string, { until: number; document: Promise<ClientDocument | undefined> }>();
  /** The customer of each fetch under way. */
  readonly #fetching = new Map<symbol, string>();

  constructor(
    private readonly egress: Egress,
    private readonly failed: (url: string, error: unknown) => void,
  ) {}

  /** Throws `invalid_client` if the document cannot be read or is not valid, and 429 if too many are being fetched. */
  async get(url: string, now: number, customerId: string): Promise<ClientDocument> {
    const found = await this.#cachedDocument(url, now, customerId);
    if (!found)
      throw new OAuthRejected("invalid_client", "The metadata document of the client is not available or not valid.");
    return found;
  }

  #cachedDocument(url: string, now: number, customerId: string): Promise<ClientDocument | undefined> {
    const known = this.#cached.get(url);
    // A clock that was set back must not keep a document.
    if (known && now < known.until && known.until <= now + freshMilliseconds) return known.document;
    const ofCustomer = [...this.#fetching.values()].filter((each) => each === customerId).length;
    if (ofCustomer >= maxFetchesOfCustomer || this.#fetching.size >= maxFetches)
      throw new Problem("concurrency_exceeded");
    const fetching = Symbol();
    this.#fetching.set(fetching, customerId);
    const entry = {
      until: now + freshMilliseconds,
      document: this.#fetch(url)
        .finally(() => this.#fetching.delete(fetching))
        .catch((error: unknown) => {
          this.failed(url, error);
          entry.until = now + failedMilliseconds;
          return undefined;
        }),
    };
    if (this.#cached.size >= maxCached) this.#cached.delete(this.#cached.keys().next().value!);
    this.#cached.delete(url);
    this.#cached.set(url, entry);
    return entry.document;
  }

  async #fetch(url: string): Promise<ClientDocument> {
    const headers = [["accept", "application/json"]] as const;
    const {
      status,
      headers: received,
      bytes,
    } = await fetchBytes(this.egress, url, { timeoutSeconds, headers, maxBytes });
    if (status !== 200) throw new Error(`the document responded with ${status}`);
    const type = (received.get("content-type") ?? "").toLowerCase();
    if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/.test(type)) throw new Error(`the document has the type ${type}`);
    const parsed = document.parse(JSON.parse(Buffer.from(bytes).toString()));
    if (parsed.client_id !== url) throw new Error("the document names another client_id");
    return { url, name: parsed.client_name ?? new URL(url).host, redirectUris: parsed.redirect_uris };
  }
}
