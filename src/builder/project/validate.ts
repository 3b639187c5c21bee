import type { Artifact, ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { SecretPlace } from "../../core/artifact/build-report.ts";
import type { BuildVariables } from "../../core/artifact/build-variables.ts";
import { isProductionBranch } from "../../core/artifact/environments.ts";
import type { ArtifactModels } from "../../core/artifact/models-schema.ts";
import { KnownPrices, knownCurrency } from "../../core/model-prices/known-prices.ts";
import { parametersIn } from "../../gateway/policies/path-template/schema.ts";
import { countsModels, type UsageOptions } from "../../gateway/policies/usage/schema.ts";
import type { ValidateOptions } from "../../gateway/policies/validate/schema.ts";
import type { EgressMode } from "../../platform/egress/addresses.ts";
import type { ProjectFiles } from "../archive/project-files.ts";
import { type Findings, fileStart } from "../documents/findings.ts";
import { Located } from "../documents/located.ts";
import { readDocument } from "../documents/read-document.ts";
import { DocumentFiles } from "../openapi/document-files.ts";
import { mockResponses } from "../openapi/mock-responses.ts";
import { type ApiDocument, type ApiOperation, readOpenApi } from "../openapi/openapi.ts";
import type { Site, SiteInput } from "../site/site.ts";
import { checkUnusedPolicies, metadataRoutes, readRoutes } from "./routes.ts";
import { nameOnResponse, ProjectModules, type ProjectSettings, readSettings } from "./settings.ts";
import { noVariables, secretsInRouting, secretsInSettings, VariableResolver } from "./variables.ts";

const typesWithTemplates = ["rewrite", "redirect"];

/** Reports parameters in the options of a policy that do not exist in a route that uses it. */
function checkRouteParameters(settings: ProjectSettings, routes: ArtifactRoute[]): void {
  for (const [name, { type }] of settings.policies) {
    const options = typesWithTemplates.includes(type) ? settings.definitionOf(name)?.member("options") : undefined;
    if (!options) continue;
    const used = routes.filter(({ policies }) => policies.includes(name));
    for (const text of textsIn(options))
      for (const parameter of new Set(parametersIn(String(text.value)))) {
        const without = used.find(
          ({ path }) => !parametersIn(path).includes(parameter) && !path.includes(`{${parameter}+}`),
        );
        if (without)
          text.error(`"{${parameter}}" is not a parameter of ${without.method} ${without.path}, which uses "${name}"`);
      }
  }
}

function textsIn(options: Located): Located[] {
  const query = options.member("query")?.member("set")?.members() ?? [];
  return [options.member("path"), options.member("to"), ...query].filter((text) => text !== undefined);
}

export interface Project {
  /** The artifact without the code. */
  parts: Pick<
    Artifact,
    | "environment"
    | "secrets"
    | "policies"
    | "routes"
    | "upstreams"
    | "models"
    | "productionBranch"
    | "document"
    | "site"
  >;
  /** The pages for people. Undefined if there are errors. */
  site: Site | undefined;
  /** The modules that routes and policies name. */
  modules: string[];
  secretPlaces: SecretPlace[];
  /** Sets the modules that export `onResponse`, which the bundler determines. */
  nameOnResponse(modules: ReadonlySet<string>): void;
  /** A build message with the names of secrets instead of their placeholders. */
  describe(message: string): string;
}

/** Reads a project's documents and adds errors to the findings. The result is valid only if there are none. */
export async function validateProject(
  project: ProjectFiles,
  findings: Findings,
  { egress, variables: build = noVariables }: { egress: EgressMode; variables?: BuildVariables | undefined },
): Promise<Project> {
  const { files } = project;
  const modules = new ProjectModules(new Set([...files.keys()].filter((path) => /\.(ts|js)$/.test(path))));
  const settingsSource = await locate("tollgate.json", files, findings);
  const openApiSource = await locateOpenApi(files, findings);
  const productionBranchPlace = settingsSource?.member("productionBranch");
  if (String(productionBranchPlace?.value).includes("${"))
    productionBranchPlace?.error(
      "must not contain a variable, because the production branch determines which variables are set",
    );
  const openApiFiles = openApiSource && (await DocumentFiles.read(openApiSource, project));
  for (const path of project.unexpected)
    if (!openApiFiles?.has(path)) findings.warning(path, fileStart, "is not part of a project and is ignored");
  const document = openApiFiles && (await keptDocument(openApiFiles, files));
  const openApiSources = openApiFiles?.all ?? [];
  const sources = [settingsSource, ...openApiSources].map((source) => source?.value);
  const variables = new VariableResolver(build, productionBranchPlace?.value, sources);
  if (settingsSource) warnOfLiteralCredentials(settingsSource);
  const settingsRoot = settingsSource && new Located(variables.resolveAll(settingsSource, secretsInSettings), findings);
  for (const source of openApiSources) variables.resolveMembers(source, "x-tollgate", secretsInRouting);
  const settings = readSettings(settingsRoot, modules, egress);
  const described = openApiFiles && readOpenApi(openApiFiles);
  // If the settings cannot be read, their policies are unknown, and routes are not checked against them.
  const areSettingsKnown = settingsRoot !== undefined || !files.has("tollgate.json");
  const { routes, upstreams, operations, mcp } =
    described && areSettingsKnown
      ? readRoutes(described, settings, modules, egress)
      : { routes: [], upstreams: undefined, operations: [], mcp: [] };
  // With the operations of the handler `models`, which the document has as one.
  const api = described && { ...described, operations };
  if (api) {
    await addValidation(routes, api, settings);
    addMocks(routes, api, settings);
  }
  // Tools of a document with errors would report them again.
  if (api && mcp.length > 0 && !findings.hasErrors) {
    const [{ addTools }, { selfContainedValue }] = await Promise.all([
      import("./mcp-routes.ts"),
      import("../openapi/self-contained.ts"),
    ]);
    addTools({ mcp, api, routes, settings, document: selfContainedValue(openApiFiles!) });
  }
  checkRouteParameters(settings, routes);
  if (api) await checkModelMeters(settings, routes);
  routes.push(...metadataRoutes(settings, routes));
  // If there are other errors, one of them may be the reason why a policy is unused.
  if (!findings.hasErrors) checkUnusedPolicies(settings, routes);
  const { productionBranch: declared } = settings;
  const productionBranch = build.isPreviewOnly ? undefined : declared;
  if (build.isPreviewOnly && declared !== undefined && !isProductionBranch(declared, build.productionBranch))
    productionBranchPlace?.warning("has no effect, because the upload was for a preview");
  for (const member of settingsRoot?.member("environment")?.members() ?? [])
    if (variables.has(member.name)) member.warning(`hides the project's variable "${member.name}" from the code`);
  const { secrets, plain, limitedPolicies } = variables;
  const policies = Object.fromEntries(settings.policies);
  const site = api && !findings.hasErrors ? await siteOf({ api, routes, policies, findings, project }) : undefined;
  const parts = {
    environment: { ...(modules.used.length > 0 && plain), ...settings.environment },
    ...(secrets && { secrets }),
    ...(build.isLimited && { isLimited: true as const }),
    ...(limitedPolicies.length > 0 && { limitedPolicies }),
    policies,
    routes,
    ...(upstreams && { upstreams }),
    ...(settings.models && routes.some(({ target }) => "operation" in target) && { models: settings.models }),
    ...(productionBranch !== undefined && { productionBranch }),
    ...(document && { document }),
    ...(site && { site: site.hash }),
  };
  const { secretPlaces } = variables;
  return {
    parts,
    site,
    modules: modules.used,
    secretPlaces,
    nameOnResponse: (withOnResponse) => nameOnResponse(settings, withOnResponse),
    describe: (message) => variables.describe(message),
  };
}

/** The reference of the document, and the guides of the project. */
async function siteOf({ project, ...input }: Omit<SiteInput, "docs"> & { project: ProjectFiles }): Promise<Site> {
  const { buildSite } = await import("../site/site.ts");
  for (const file of project.dropped)
    if (file.endsWith(".md")) input.findings.error(file, fileStart, "the guides of the project are too large");
  return buildSite({ ...input, docs: project.docs });
}

async function locateOpenApi(files: Map<string, Uint8Array>, findings: Findings): Promise<Located | undefined> {
  const [first, second] = ["openapi.json", "openapi.yaml", "openapi.yml"].filter((name) => files.has(name));
  if (second) findings.error(second, fileStart, `there is also ${first}: a project has only one of them`);
  if (!first) findings.error("openapi.json", fileStart, "is missing: a project has an openapi.json or openapi.yaml");
  return first === undefined ? undefined : locate(first, files, findings);
}

async function locate(file: string, files: Map<string, Uint8Array>, findings: Findings): Promise<Located | undefined> {
  const bytes = files.get(file);
  const document = bytes && (await readDocument(file, bytes, findings));
  return document && new Located(document, findings);
}

/** The document's original text, unless it refers to other files. */
async function keptDocument(
  documents: DocumentFiles,
  files: Map<string, Uint8Array>,
): Promise<NonNullable<Artifact["document"]>> {
  const { file } = documents.root.document;
  const jsonOf = (value: unknown) => (file.endsWith(".json") ? {} : { json: JSON.stringify(value) });
  if (documents.all.length === 1)
    return { file, text: new TextDecoder().decode(files.get(file)), ...jsonOf(documents.root.value) };
  const { selfContainedValue, textOf } = await import("../openapi/self-contained.ts");
  const value = selfContainedValue(documents);
  return { file, text: await textOf(file, value), ...jsonOf(value) };
}

function routesWith(type: string, routes: ArtifactRoute[], settings: ProjectSettings): ArtifactRoute[] {
  return routes.filter((route) => route.policies.some((name) => settings.policies.get(name)?.type === type));
}

function operationsByRoute({ operations }: ApiDocument): Map<string, ApiOperation> {
  return new Map(operations.map((operation) => [routeKey(operation), operation]));
}

const routeKey = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** Adds responses to the routes with a `mock` policy. */
function addMocks(routes: ArtifactRoute[], api: ApiDocument, settings: ProjectSettings): void {
  const mocked = routesWith("mock", routes, settings);
  if (mocked.length === 0) return;
  const operations = operationsByRoute(api);
  for (const route of mocked) route.mocks = mockResponses(operations.get(routeKey(route))!, api);
}

/** Adds validation to the routes with a `validate` policy. */
async function addValidation(routes: ArtifactRoute[], api: ApiDocument, settings: ProjectSettings): Promise<void> {
  const validated = routesWith("validate", routes, settings);
  if (validated.length === 0) return;
  const [{ SchemaBundler }, { requestValidation }, { responseValidation }] = await Promise.all([
    import("../openapi/schema-bundler.ts"),
    import("../openapi/request-validation.ts"),
    import("../openapi/response-validation.ts"),
  ]);
  const { references } = api;
  const ofRequests = new SchemaBundler(api, "request");
  const ofResponses = new SchemaBundler(api, "response");
  const operations = operationsByRoute(api);
  for (const route of validated) {
    const operation = operations.get(routeKey(route));
    if (!operation) continue;
    route.validation = requestValidation(operation, references, ofRequests);
    if (validatesResponses(route, settings))
      route.validation.responses = responseValidation(operation, references, ofResponses);
  }
}

function validatesResponses({ policies }: ArtifactRoute, settings: ProjectSettings): boolean {
  return policies.some((name) => {
    const { type, options } = settings.policies.get(name) ?? {};
    return type === "validate" && (options as ValidateOptions | undefined)?.response !== undefined;
  });
}

/**
 * Warns of credentials of models' providers that are written in tollgate.json: the artifact contains them as they are.
 * @param settings tollgate.json before its variables are resolved
 */
function warnOfLiteralCredentials(settings: Located): void {
  for (const provider of settings.member("models")?.member("providers")?.members() ?? []) {
    const credential = provider.member("credential");
    if (typeof credential?.value !== "string" || credential.value.includes("${")) continue;
    const name = `${provider.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_API_KEY`;
    credential.warning(
      `the credential is stored in plain text: write "\${${name}}" and set it with \`tollgate variables set ${name} --secret\``,
    );
  }
}

/** Reports policies `usage` that cannot count on the routes that use them, and costs without a price. */
export async function checkModelMeters(settings: ProjectSettings, routes: readonly ArtifactRoute[]): Promise<void> {
  const { models } = settings;
  for (const [name, { type, options }] of settings.policies) {
    const meters = type === "usage" ? settings.definitionOf(name)?.member("options")?.member("meters") : undefined;
    // Options that are invalid have been reported.
    if (!meters || (options as UsageOptions | undefined)?.meters === undefined) continue;
    const isOfModels = countsModels(options as UsageOptions);
    const used = routes.filter(({ policies }) => policies.includes(name));
    const wrong = used.find(({ target }) => "operation" in target !== isOfModels && !("policy" in target));
    if (wrong)
      meters.keyError(
        isOfModels
          ? `"count" needs a route with the handler "models", and ${wrong.method} ${wrong.path} has another target`
          : `${wrong.method} ${wrong.path} has the handler "models": its meters need "count"`,
      );
    if (isOfModels && models) await checkMeters(meters, options as UsageOptions, models, used.length > 0);
  }
}

async function checkMeters(
  place: Located,
  { meters }: UsageOptions,
  models: ArtifactModels,
  isUsed: boolean,
): Promise<void> {
  const known = await KnownPrices.load();
  const names = Object.keys(models.aliases);
  const counted = new Set<string>();
  for (const [meter, { count, aliases }] of Object.entries(meters)) {
    const own = place.member(meter)!;
    for (const alias of own.member("aliases")?.items() ?? [])
      if (!names.includes(String(alias.value))) alias.error(`is not an alias of "models"`);
    const ofMeter = names.filter((name) => aliases?.includes(name) ?? true);
    for (const name of ofMeter) counted.add(name);
    if (count === "cost") checkPrices(own, ofMeter, models, known);
  }
  const free = names.find((name) => !counted.has(name));
  if (free !== undefined && isUsed)
    place.keyError(`no meter counts requests to "${free}": add it to the aliases of a meter`);
}

/** Every target needs a price, and all prices the same currency: amounts of one meter are added up. */
function checkPrices(place: Located, aliases: readonly string[], models: ArtifactModels, known: KnownPrices): void {
  const currencies = new Set<string>();
  for (const alias of aliases)
    for (const { provider, model, price } of models.aliases[alias]!.targets) {
      const { url } = models.providers[provider]!;
      if (typeof price === "object") currencies.add(price.currency);
      else if (price === undefined && known.has(url, model)) currencies.add(knownCurrency);
      else if (price === undefined)
        place.error(
          `counts the cost of "${alias}", whose target ${provider}/${model} has no price and is not a known model: give it a "price"`,
        );
    }
  if (currencies.size > 1)
    place.error(`counts costs in several currencies: ${[...currencies].join(" and ")}. Use a meter for each.`);
}
