import type { Artifact, ArtifactRoute } from "../../core/artifact/artifact.ts";
import { alwaysResponds } from "../../core/artifact/policy-order.ts";
import type { ArtifactUpstream } from "../../core/artifact/upstream-schema.ts";
import { resourceMetadataPath } from "../../core/http/resource-metadata.ts";
import type { ApiKeyOptions } from "../../gateway/policies/api-key/schema.ts";
import { type JwtOptions, metadataPath } from "../../gateway/policies/jwt/schema.ts";
import type { EgressMode } from "../../platform/egress/addresses.ts";
import type { Located } from "../documents/located.ts";
import type { ApiDocument, ApiOperation } from "../openapi/openapi.ts";
import { type McpOperation, mcpTarget } from "./mcp-routes.ts";
import { checkMetered, defaultModelsOptions, expandModels, modelsTimeoutSeconds } from "./models-routes.ts";
import { isModulePath } from "./module-path.ts";
import { mcpHandler, modelsHandler, type Routing, routingSchema } from "./project-schema.ts";
import { checkPolicyList, type ProjectModules, type ProjectSettings } from "./settings.ts";
import { warnOfUpstream } from "./upstream-reach.ts";
import { readWith } from "./zod-issues.ts";

/** Determines the target and the policies of each operation: settings nearest to the operation win. */
export function readRoutes(
  api: ApiDocument,
  settings: ProjectSettings,
  modules: ProjectModules,
  egress: EgressMode,
): Pick<Artifact, "routes" | "upstreams"> & Pick<ApiDocument, "operations"> & { mcp: McpOperation[] } {
  const rules = new RoutingRules(settings, modules, egress);
  const upstreams = new UpstreamList();
  const ofDocument = rules.read(api.root);
  const operations: ApiOperation[] = [];
  const mcp: McpOperation[] = [];
  const declared = new Set(api.operations.map(({ path }) => path));
  const routes = api.operations.flatMap((operation): ArtifactRoute[] => {
    const levels = [rules.read(operation.definition), rules.read(operation.pathItem), ofDocument];
    const route = routeOf(operation, levels, settings, upstreams);
    const handler = levels.find((level) => level.upstream ?? level.handler)?.handler;
    if (handler === mcpHandler && route) {
      const { mcp: options } = levels.find((level) => level.handler)!;
      const target = mcpTarget(operation, options, api.root);
      if (!("policy" in route.target)) route.target = target;
      const owner = [operation.definition, operation.pathItem, api.root].find((each) => rules.read(each).handler);
      const tools = owner?.member("x-tollgate")?.member("mcp")?.member("tools");
      if (tools && "mcp" in route.target) mcp.push({ operation, route, tools });
    }
    if (handler !== modelsHandler || !route) {
      operations.push(operation);
      return route ? [route] : [];
    }
    const expanded = modelsRoutes(operation, route, levels, settings);
    for (const { path } of expanded.routes)
      if (declared.has(path))
        operation.definition.keyError(
          `${operation.path} has the handler "models", which serves ${path}: the document declares that path too`,
        );
    operations.push(...expanded.operations);
    return expanded.routes;
  });
  return { routes, operations, mcp, ...(upstreams.all.length > 0 && { upstreams: upstreams.all }) };
}

/** The routes of an operation with the handler `models`, one for each operation that it serves. */
function modelsRoutes(
  operation: ApiOperation,
  { operationId: _, ...route }: ArtifactRoute,
  levels: Routing[],
  settings: ProjectSettings,
): { operations: ApiOperation[]; routes: ArtifactRoute[] } {
  const options = levels.find((level) => level.handler)?.models ?? defaultModelsOptions;
  const hasPolicyTarget = "policy" in route.target;
  if (!hasPolicyTarget) checkMetered(operation, options, route.policies, settings.policies);
  const expanded = expandModels(operation, { models: settings.models, isDeclared: settings.hasModels });
  // That of the project is for its other routes, and that of the document too.
  const [ofOperation, ofPath] = levels;
  const timeoutSeconds = ofOperation?.timeoutSeconds ?? ofPath?.timeoutSeconds ?? modelsTimeoutSeconds;
  return {
    operations: expanded.map((each) => each.operation),
    routes: expanded.map(({ operation: { path, method, operationId }, models }) => ({
      ...route,
      path,
      method,
      ...(operationId !== undefined && { operationId }),
      target: hasPolicyTarget ? route.target : { handler: "models", operation: models, options },
      timeoutSeconds,
    })),
  };
}

/** The upstreams with options that routes use, each once. */
class UpstreamList {
  readonly all: ArtifactUpstream[] = [];
  readonly #indexes = new Map<string, number>();

  target(upstream: string | ArtifactUpstream): ArtifactRoute["target"] {
    if (typeof upstream === "string") return { upstream };
    const text = JSON.stringify(upstream);
    const index = this.#indexes.get(text) ?? this.all.push(upstream) - 1;
    this.#indexes.set(text, index);
    return { upstream: upstream.targets[0]!.url, balanced: index };
  }
}

function routeOf(
  operation: ApiOperation,
  levels: Routing[],
  settings: ProjectSettings,
  upstreams: UpstreamList,
): ArtifactRoute | undefined {
  const { path, method, operationId, definition } = operation;
  // An operation's handler overrides the document's upstream, and vice versa.
  const { upstream = settings.upstream, handler } = levels.find((level) => level.upstream ?? level.handler) ?? {};
  const policies = levels.find((level) => level.policies)?.policies ?? settings.defaultPolicies ?? [];
  const policy = policies.find((name) => alwaysResponds(settings.policies.get(name)?.type));
  const target =
    policy !== undefined
      ? { policy }
      : handler !== undefined
        ? { handler }
        : upstream !== undefined
          ? upstreams.target(upstream)
          : undefined;
  if (!target) {
    definition.keyError(`${method} ${path} has no upstream or handler; add one in x-tollgate`);
    return undefined;
  }
  const forwardHeaders = levels.find((level) => level.forwardHeaders)?.forwardHeaders ?? [];
  return {
    path,
    method,
    ...(operationId !== undefined && { operationId }),
    target,
    policies,
    timeoutSeconds: levels.find((level) => level.timeoutSeconds)?.timeoutSeconds ?? settings.timeoutSeconds,
    ...(forwardHeaders.length > 0 && { forwardHeaders }),
  };
}

class RoutingRules {
  readonly #read = new Map<unknown, Routing>();

  constructor(
    private readonly settings: ProjectSettings,
    private readonly modules: ProjectModules,
    private readonly egress: EgressMode,
  ) {}

  /** The validated `x-tollgate` of an object. A path's is read by each of its operations. */
  read(owner: Located): Routing {
    const known = this.#read.get(owner.value);
    if (known) return known;
    const place = owner.member("x-tollgate");
    const routing = (place && readWith(routingSchema, place)) ?? routingDespiteErrors(place);
    this.#read.set(owner.value, routing);
    if (place) this.#check(place);
    return routing;
  }

  #check(place: Located): void {
    warnOfUpstream(place.member("upstream"), this.egress);
    const handler = place.member("handler");
    if (handler && isModulePath(String(handler.value))) this.modules.use(handler);
    checkPolicyList(place.member("policies"), this.settings.policies);
  }
}

/** Used after errors: an invalid target still counts as a target. */
function routingDespiteErrors(place: Located | undefined): Routing {
  const upstream = place?.member("upstream");
  return (upstream ?? place?.member("handler")) ? { upstream: String(upstream?.value) } : {};
}

/**
 * Adds routes for the metadata of resources that policies with tokens protect, unless the document has a route for that
 * path.
 */
export function metadataRoutes(settings: ProjectSettings, routes: ArtifactRoute[]): ArtifactRoute[] {
  const taken = new Set(routes.map(({ path }) => path));
  const used = new Set(routes.flatMap(({ policies }) => policies));
  return [...settings.policies].flatMap(([name, { type, options }]) => {
    if (!used.has(name)) return [];
    const { timeoutSeconds } = settings;
    return metadataPaths(type, options)
      .filter((path) => !taken.has(path))
      .map((path) => {
        taken.add(path);
        return { path, method: "GET", target: { policy: name }, policies: [name], timeoutSeconds };
      });
  });
}

/** A deployment with tokens of its portal is a resource as a whole, and so is every URL below it. */
function metadataPaths(type: string, options: unknown): string[] {
  // Options with errors are undefined.
  const { resource, oauth } = (options ?? {}) as Partial<JwtOptions & ApiKeyOptions>;
  if (type === "jwt") return resource === undefined ? [] : [metadataPath(resource)];
  const acceptsTokens = type === "oauth" || (type === "api-key" && oauth === true);
  return acceptsTokens ? [resourceMetadataPath, `${resourceMetadataPath}/{resource+}`] : [];
}

/** Types that never reject: an unused one does not leave a route unprotected. */
const harmlessTypes = ["cors", "headers", "cache", "rewrite", "redirect", "mock"];

/** An unused guard probably means an API that is open by accident. */
export function checkUnusedPolicies(settings: ProjectSettings, routes: ArtifactRoute[]): void {
  const used = new Set(routes.flatMap((route) => route.policies));
  for (const [name, { type }] of settings.policies) {
    const definition = settings.definitionOf(name);
    if (used.has(name) || definition?.member("unused")?.value === true) continue;
    if (harmlessTypes.includes(type)) definition?.warning(`no route uses the policy "${name}"`);
    else {
      definition?.keyError(
        `no route uses the policy "${name}": name it in "defaultPolicies" or in x-tollgate, or set "unused": true`,
      );
    }
  }
}
