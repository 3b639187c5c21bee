import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../../platform/http1/message/target.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { PortalHosts, PortalSite } from "../portal/hosts/portal-hosts.ts";
import { settingsOf } from "../portal/settings/present.ts";
import { type ClientDocument, type ClientDocuments, isDocumentUrl } from "./client-documents.ts";
import { type ClientRow, findClient as findStoredClient } from "./client-store.ts";
import { enabledOAuth, permitsClient } from "./enabled.ts";
import { invalidRequest, OAuthRejected, parametersOf } from "./oauth-error.ts";
import { redirectUrisOf } from "./present.ts";
import { isRegisteredRedirect } from "./redirect-uris.ts";
import { deploymentOf, type ResourceFinder } from "./resources.ts";
import type { ClientType } from "./schema.ts";

/** The client of an authorization request: stored, or identified by its metadata document. */
interface RequestingClient {
  type: ClientType;
  name: string;
  redirectUris: string[];
  documentUrl: string | null;
  /** The only customer who may authorize it. */
  consumerSeq: number | null;
  stored?: ClientRow;
  document?: ClientDocument;
}

/** Where the browser returns to. */
interface ReturnAddress {
  redirectUri: string;
  state: string | undefined;
}

/** A valid request for an authorization code. */
export interface AuthorizeRequest extends ReturnAddress {
  client: RequestingClient;
  challenge: string;
  /** Undefined if none are requested: then the customer grants all that a new key would have. */
  scopes: string[] | undefined;
  deployment: string;
}

/** An error that is returned to the client at its redirect URI. */
export class ReturnedError extends Error {
  constructor(
    readonly rejection: OAuthRejected,
    readonly to: ReturnAddress,
  ) {
    super(rejection.message);
  }
}

/**
 * The error for the browser. Only clients of the operator get it at their redirect: anyone can create another one, and with
 * a request that is not valid would have an open redirect on the portal's host.
 */
export function returned(
  rejection: OAuthRejected,
  { client, redirectUri, state }: ReturnAddress & Pick<AuthorizeRequest, "client">,
): Error {
  const isTrusted = client.type === "registered" && client.consumerSeq === null;
  return isTrusted ? new ReturnedError(rejection, { redirectUri, state }) : rejection;
}

const challengePattern = /^[A-Za-z0-9_-]{43}$/;
const maxStateLength = 4000;

/** Checks the requests of browsers to the authorization endpoint. */
export class AuthorizeRequests {
  constructor(
    private readonly documents: ClientDocuments,
    private readonly resources: ResourceFinder,
  ) {}

  /**
   * Throws `OAuthRejected` if the client or the redirect is not known, or not trusted: then the browser must not be redirected.
   * Throws `ReturnedError` for other faults. A document is fetched for a customer only; without one, undefined is returned
   * for its client.
   */
  async read(
    reads: Reads,
    site: PortalSite,
    query: string,
    now: number,
    customerId: undefined,
  ): Promise<AuthorizeRequest | undefined>;
  async read(reads: Reads, site: PortalSite, query: string, now: number, customerId: string): Promise<AuthorizeRequest>;
  async read(reads: Reads, site: PortalSite, query: string, now: number, customerId: string | undefined) {
    const fields = new URLSearchParams(query);
    const { one, needed } = parametersOf(fields);
    const clientId = needed("client_id");
    const given = one("redirect_uri");
    const client = await this.#client(reads, site, clientId, now, customerId);
    if (!client) return undefined;
    const redirectUri = redirectOf(client, given);
    // A repeated state must not become a part of the redirect.
    const [state, ...more] = fields.getAll("state");
    const to = { redirectUri, state: more.length > 0 || (state?.length ?? 0) > maxStateLength ? undefined : state };
    try {
      return { ...this.#checked(site, fields), ...to, client };
    } catch (error) {
      throw error instanceof OAuthRejected ? returned(error, { ...to, client }) : error;
    }
  }

  #checked(site: PortalSite, fields: URLSearchParams) {
    const { one, needed } = parametersOf(fields);
    if ((one("state")?.length ?? 0) > maxStateLength) throw invalidRequest("`state` is too long.");
    if (needed("response_type") !== "code")
      throw new OAuthRejected("unsupported_response_type", "`response_type` must be code.");
    if ((one("response_mode") ?? "query") !== "query") throw invalidRequest("`response_mode` must be query.");
    for (const name of ["request", "request_uri"])
      if (one(name) !== undefined) throw invalidRequest(`\`${name}\` is not supported.`);
    // Without a method it would be `plain` (RFC 7636), which protects nothing.
    if (one("code_challenge_method") !== "S256") throw invalidRequest("`code_challenge_method` must be S256.");
    const challenge = needed("code_challenge");
    if (!challengePattern.test(challenge)) throw invalidRequest("`code_challenge` must be a SHA-256 in base64url.");
    const { deployments } = settingsOf(site);
    const owner = { account_seq: site.account_seq, deployments };
    return {
      challenge,
      scopes: scopesOf(one("scope")),
      deployment: deploymentOf(this.resources, owner, fields.getAll("resource")),
    };
  }

  async #client(
    reads: Reads,
    site: PortalSite,
    clientId: string,
    now: number,
    customerId: string | undefined,
  ): Promise<RequestingClient | undefined> {
    const { oauth } = settingsOf(site);
    const permits = (type: string) => oauth !== undefined && permitsClient(oauth, type);
    if (isDocumentUrl(clientId)) {
      if (!permits("document"))
        throw new OAuthRejected("invalid_client", "This portal does not accept clients with metadata documents.");
      if (customerId === undefined) return undefined;
      const document = await this.documents.get(clientId, now, customerId);
      const { name, redirectUris } = document;
      return { type: "document", name, redirectUris, documentUrl: clientId, consumerSeq: null, document };
    }
    const stored = await findStoredClient(reads, site.seq, clientId, now);
    if (!stored || stored.document_url !== null || !permits(stored.type))
      throw new OAuthRejected("invalid_client", "The client is not known to this portal.");
    if (stored.type === "service")
      throw new OAuthRejected("unauthorized_client", "The client has no redirect address.");
    const { name, consumer_seq: consumerSeq } = stored;
    const redirectUris = redirectUrisOf(stored);
    return { type: stored.type as ClientType, name, redirectUris, documentUrl: null, consumerSeq, stored };
  }
}

/** Permissions, separated by spaces. Undefined if there are none. */
export function scopesOf(scope: string | undefined): string[] | undefined {
  const scopes = [...new Set((scope ?? "").split(" "))].filter((each) => each !== "");
  return scopes.length === 0 ? undefined : scopes;
}

function redirectOf({ redirectUris }: RequestingClient, given: string | undefined): string {
  const [only, ...others] = redirectUris;
  if (given === undefined && others.length === 0) return only!;
  if (given === undefined) throw invalidRequest("`redirect_uri` is missing.");
  if (!isRegisteredRedirect(redirectUris, given))
    throw invalidRequest("`redirect_uri` is not one that the client has registered.");
  return given;
}

/** The address that the browser returns to, with the result and the issuer (RFC 9207). */
export function returnUrl(
  { redirectUri, state }: ReturnAddress,
  issuer: string,
  result: Record<string, string>,
): string {
  const fields = new URLSearchParams({ ...result, ...(state === undefined ? {} : { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${fields}`;
}

export function returnedErrorUrl({ rejection, to }: ReturnedError, issuer: string): string {
  return returnUrl(to, issuer, { error: rejection.code, error_description: rejection.message });
}

/**
 * Rejects a request to the authorization endpoint that no consent could make valid. Undefined if the page is to be shown: it
 * signs the customer in, and then checks the request again, with the document of its client.
 */
export async function rejectedAuthorizeRequest(
  requests: AuthorizeRequests,
  hosts: PortalHosts,
  reads: Reads,
  { request, site, now }: { request: HttpRequest; site: PortalSite; now: number },
): Promise<HttpResponse | undefined> {
  enabledOAuth(site);
  try {
    await requests.read(reads, site, splitTarget(request.target).search.replace(/^\?/, ""), now, undefined);
    return undefined;
  } catch (error) {
    if (error instanceof ReturnedError) {
      const location = returnedErrorUrl(error, hosts.originOf(request));
      const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
      return new HttpResponse(302, new HttpHeaders(headers));
    }
    if (!(error instanceof OAuthRejected)) throw error;
    const headers = new HttpHeaders({ "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
    return new HttpResponse(400, headers, `This request for authorization is not valid. ${error.message}\n`);
  }
}
