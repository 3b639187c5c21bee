import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";

/** Where the metadata of a resource are (RFC 9728, 3.1): the path of the resource follows. */
export const resourceMetadataPath = "/.well-known/oauth-protected-resource";

/** The path of the resource whose metadata are at the path. Undefined for other paths. */
export function describedResource(path: string): string | undefined {
  if (!path.startsWith(resourceMetadataPath)) return undefined;
  const rest = path.slice(resourceMetadataPath.length);
  if (rest === "") return "/";
  return rest.startsWith("/") ? rest : undefined;
}

export interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
  scopes_supported?: string[];
  bearer_methods_supported: ["header"];
}

/** All origins may read it, for clients in browsers. */
export function metadataResponse(text: string): HttpResponse {
  const headers = {
    "content-type": "application/json",
    "access-control-allow-origin": "*",
    "cache-control": "max-age=300",
  };
  return new HttpResponse(200, new HttpHeaders(headers), text);
}
