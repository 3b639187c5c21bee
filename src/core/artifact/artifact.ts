import type { McpTarget } from "./mcp-schema.ts";
import type { ArtifactModels, ModelsTarget } from "./models-schema.ts";
import type { ArtifactUpstream } from "./upstream-schema.ts";

/**
 * The output of a build, which a gateway serves. It is resolved and validated, and needs no further files of the
 * project. It is stored as JSON text and addressed by the SHA-256 of that text.
 */
export interface Artifact {
  /** The version of this format. A gateway rejects unknown versions. */
  format: 1;
  /** `context.environment` of the project's code, without the project's secrets. */
  environment: Record<string, string>;
  /** Maps placeholders of secrets to their names, see secret-references.ts. Absent if the project uses none. */
  secrets?: Record<string, string>;
  /**
   * Set if a caller whose access is limited to projects or deployments built it: its `jwt` policies name consumers only by
   * issuers that a key bucket lists.
   */
  isLimited?: true;
  /** The policies whose options have the value of a variable that such a caller set. */
  limitedPolicies?: string[];
  /** Policies by the names that routes use. */
  policies: Record<string, ArtifactPolicy>;
  routes: ArtifactRoute[];
  /** Upstreams with options, which routes reference by index. Absent if there are none. */
  upstreams?: ArtifactUpstream[];
  /** The providers and aliases of routes with the handler `models`. Absent if there are none. */
  models?: ArtifactModels;
  /** The production branch, if the project declares one. */
  productionBranch?: string;
  /**
   * All modules that routes and policies reference, bundled into one ES module. Its default export contains the
   * namespace of each module by its path, such as `modules/hello.ts`. Null if the project has no code.
   */
  code: string | null;
  /**
   * The OpenAPI document of the project, self-contained, to compare versions. `json` is a YAML document as JSON: the server
   * would be busy for seconds with YAML. Gateways do not use it.
   */
  document?: { file: string; text: string; json?: string };
  /** The SHA-256 of the site, which is stored beside: a version with other guides is another one. Older artifacts lack it. */
  site?: string;
}

/** The method of an `x-tollgate-any`. */
export const anyMethod = "ANY";

export interface ArtifactPolicy {
  /** A built-in type, such as `api-key`, or the path of a module whose default export is the policy. */
  type: string;
  /** The options as parsed by the type's schema, with defaults; for a module, the JSON of the project. */
  options: unknown;
  /** Set if requests continue that the policy rejects; see docs/observe.md. */
  mode?: "observe";
  /** Set if the module exports `onResponse`. */
  hasOnResponse?: true;
  /** How the module reads bodies. Absent if it reads none. */
  body?: PolicyBodies;
}

/** How a policy in code reads bodies: not at all, as a whole, or as a stream. */
export interface PolicyBodies {
  request: "none" | "buffer" | "stream";
  response: "none" | "buffer" | "stream";
  /** The maximum size of a body that is read as a whole. */
  maxBytes: number;
}

interface UpstreamTarget {
  /** An origin with an optional base path, without a trailing slash. If there are several targets, the first one. */
  upstream: string;
  /** The index of its options in `Artifact.upstreams`. */
  balanced?: number;
}

export interface ArtifactRoute {
  /** An OpenAPI path template. One that ends in `{name+}` matches one or more segments there. */
  path: string;
  /** Upper case; `anyMethod` for all methods that the path does not declare. */
  method: string;
  operationId?: string;
  /**
   * An upstream, the path of a module, an operation of the handler `models`, the tools of the handler `mcp`, or the name
   * of a policy of the route that responds to every request.
   */
  target: UpstreamTarget | { handler: string } | ModelsTarget | McpTarget | { policy: string };
  /** Names of policies, in the order in which they handle a request. */
  policies: string[];
  /** How long the upstream or the handler may take until its response begins. */
  timeoutSeconds: number;
  /** Headers of listable-headers.ts that are forwarded to the upstream, in lower case. Absent if there are none. */
  forwardHeaders?: string[];
  /** Only if a policy of the route is of the type `validate`. */
  validation?: RouteValidation;
  /**
   * Only if a policy of the route has the type `mock`: the responses of the operation by status, the default one first.
   */
  mocks?: MockResponse[];
}

/** The statuses that a response of an operation applies to. */
export interface ResponseStatuses {
  /** Undefined for the response to all other statuses (`default` in the document). */
  status?: number;
  /** A class of statuses, such as `4XX`. */
  statusClass?: number;
}

/** Returns the response for a status in OpenAPI's order: the exact status, its class, then `default`. */
export function responseFor<Response extends ResponseStatuses>(
  responses: readonly Response[],
  status: number,
): Response | undefined {
  const ofClass = Math.floor(status / 100);
  return (
    responses.find((response) => response.status === status) ??
    responses.find((response) => response.statusClass === ofClass) ??
    responses.find((response) => response.status === undefined && response.statusClass === undefined)
  );
}

/** An example of a response of an operation. */
export interface MockResponse extends ResponseStatuses {
  headers: Record<string, string>;
  body?: string;
}

/** The parameters and body of the operation as self-contained JSON Schema 2020-12. */
export interface RouteValidation {
  parameters: {
    name: string;
    in: "path" | "query" | "header" | "cookie";
    required: boolean;
    /** How lists are serialized: `a=1&a=2`, or `a=1,2`. */
    explode: boolean;
    schema: unknown;
  }[];
  /** Schemas by media type, such as `application/json` or `text/*`. */
  body?: { required: boolean; content: Record<string, unknown> };
  /** Set if a policy validates responses. */
  responses?: ResponseRule[];
}

/** The bodies of a response of the operation, by media type. Empty if the document describes none. */
export interface ResponseRule extends ResponseStatuses {
  content: Record<string, unknown>;
}
