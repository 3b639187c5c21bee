import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../../platform/http1/message/target.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { PortalHosts, PortalSite } from "../portal/hosts/portal-hosts.ts";
import { type AuthorizeRequests, ReturnedError, returnedErrorUrl } from "./authorize-requests.ts";
import { enabledOAuth } from "./enabled.ts";
import { OAuthRejected } from "./oauth-error.ts";

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
    if (error instanceof ReturnedError) return redirect(returnedErrorUrl(error, hosts.originOf(request)));
    if (!(error instanceof OAuthRejected)) throw error;
    const headers = new HttpHeaders({ "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
    return new HttpResponse(400, headers, `This request for authorization is not valid. ${error.message}\n`);
  }
}

function redirect(location: string): HttpResponse {
  const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return new HttpResponse(302, new HttpHeaders(headers));
}
