import type { ArtifactUpstream } from "./upstream-schema.ts";

/**
 * What a build makes of a project and a gateway serves: everything resolved and checked, nothing left to be looked up in the
 * project. Stored as the text of its JSON and addressed by the SHA-256 of that.
 */
export interface Artifact {
  /** Of this shape; a gateway rejects what it does not know. */
  format: 1;
  /** `context.environment` of the project's code, without the project's secrets. */
  environment: Record<string, string>;
  /** Names of secrets by the placeholders that stand for them, see secret-references.ts. Absent where the project uses none. */
  secrets?: Record<string, string>;
  /** By the names that routes use. */
  policies: Record<string, ArtifactPolicy>;
  routes: ArtifactRoute[];
  /** Upstreams with options, by the index that routes name. Absent where there is none. */
  upstreams?: ArtifactUpstream[];
  /** The project's, where it names one. */
  productionBranch?: string;
  /**
   * All modules that routes and policies name, bundled into one ES module. Its default export holds each module's namespace
   * by the path that names it, such as `modules/hello.ts`. Null where the project has no code.
   */
  code: string | null;
  /** The OpenAPI document as the project has it, to compare versions by; gateways do without. Older artifacts have none. */
  document?: { file: string; text: string };
}

/** The method of an `x-tollgate-any`. */
export const anyMethod = "ANY";

export interface ArtifactPolicy {
  /** A built-in type, such as `api-key`, or the path of a module whose default export is the policy. */
  type: string;
  /** As the type's schema read them, defaults filled in; for a module, whatever JSON the project has. */
  options: unknown;
  /** Of a module that exports `onResponse`. */
  hasOnResponse?: true;
  /** Of a module; absent where it reads no body. */
  body?: PolicyBodies;
}

/** The bodies that a policy in code reads: not at all, as a whole, or as a stream. */
export interface PolicyBodies {
  request: "none" | "buffer" | "stream";
  response: "none" | "buffer" | "stream";
  /** Of a body that is read as a whole. */
  maxBytes: number;
}

export interface UpstreamTarget {
  /** An origin, perhaps with a base path, without a slash at its end. The first target, where there are several. */
  upstream: string;
  /** The index of its options in `Artifact.upstreams`. */
  balanced?: number;
}

export interface ArtifactRoute {
  /** An OpenAPI path template; one that ends in `{name+}` matches one or more segments there. */
  path: string;
  /** Upper case; `anyMethod` for all that the path does not declare. */
  method: string;
  operationId?: string;
  /** An upstream, the path of a module, or the name of a policy of the route that responds to every request. */
  target: UpstreamTarget | { handler: string } | { policy: string };
  /** Names of policies, in the order in which a request passes them. */
  policies: string[];
  /** How long the upstream or the handler may take to begin its response. */
  timeoutSeconds: number;
  /** Headers of listable-headers.ts that its upstream gets, in lower case. Absent where it lists none. */
  forwardHeaders?: string[];
  /** Only where a policy of the route validates requests. */
  validation?: RouteValidation;
  /** Only where a policy of the route is of the type `mock`: the operation's responses by status, the default one first. */
  mocks?: MockResponse[];
}

/** An example of a response of an operation. */
export interface MockResponse {
  /** Undefined for the response to all other statuses (`default` in the document). */
  status?: number;
  /** Such as `4XX`: the response to the other statuses of a class. */
  statusClass?: number;
  headers: Record<string, string>;
  body?: string;
}

/** The parameters and body of the operation, as JSON Schema 2020-12 without references out of itself. */
export interface RouteValidation {
  parameters: {
    name: string;
    in: "path" | "query" | "header" | "cookie";
    required: boolean;
    /** How lists are written: `a=1&a=2`, or `a=1,2`. */
    explode: boolean;
    schema: unknown;
  }[];
  /** By media type, such as `application/json` or `text/*`. */
  body?: { required: boolean; content: Record<string, unknown> };
}
