/**
 * Writes the classes of the client whose methods are one call each, from the OpenAPI document. Names, parameters, options,
 * types, comments and examples are those of the endpoints; a class adds only its name and what it is about.
 */
import { join } from "node:path";
import {
  comment,
  formatted,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  typeOf,
} from "./generate-client-types.ts";

export const generatedResourcesFile = join(import.meta.dir, "../src/client/resources/resources.gen.ts");

interface Resource {
  /** `Views` is `client.views`. */
  name: string;
  about: string;
  /** The path of the list. Its parameters are those of the class, except the account. */
  path: string;
  /** What is removed from an operation's id to get the name of the method: `createView` is `create`. */
  noun: string;
  /** Methods whose name does not follow from the operation's id. */
  methods?: Record<string, string>;
  /** Operations below the path that belong to other classes. */
  except?: string[];
}

const account = "/v1/accounts/{accountName}";
const consumer = `${account}/key-buckets/{bucketName}/consumers/{consumerName}`;

const resources: Resource[] = [
  {
    name: "Tokens",
    about: "The credentials of the management API. For admins.",
    path: `${account}/tokens`,
    noun: "Token",
  },
  {
    name: "TrustedIssuers",
    about: "Identity providers, such as CI services, whose tokens are exchanged for tokens of the account. For admins.",
    path: `${account}/trusted-issuers`,
    noun: "TrustedIssuer",
  },
  {
    name: "Managers",
    about: "The people who manage the keys of one consumer.",
    path: `${consumer}/managers`,
    noun: "Manager",
  },
  {
    name: "ManagerInvites",
    about: "Invitations of e-mail addresses to become managers of one consumer.",
    path: `${consumer}/manager-invites`,
    noun: "ManagerInvite",
    methods: { inviteManager: "create" },
  },
  {
    name: "Plans",
    about: "The plans of one metering bucket: the limits of subscribers.",
    path: "/v1/metering/{bucketId}/plans",
    noun: "Plan",
  },
  {
    name: "Subscriptions",
    about: "The subscriptions of one metering bucket: customers and their plans.",
    path: "/v1/metering/{bucketId}/subscriptions",
    noun: "Subscription",
    methods: {
      previewPlanChange: "preview",
      changeSubscriptionPlans: "change",
      previewSubscriptionChange: "previewChange",
      getUpcomingInvoice: "upcomingInvoice",
    },
    except: ["getUsage", "getUsageHistory", "getUsageSeries", "consumeQuota"],
  },
  {
    name: "Grants",
    about: "The grants of one customer: credits in units of a meter, or money.",
    path: "/v1/metering/{bucketId}/customers/{customerKey}/grants",
    noun: "Grant",
  },
  {
    name: "Domains",
    about: "Custom domains: your own hosts, served by deployments.",
    path: `${account}/domains`,
    noun: "Domain",
  },
  {
    name: "Variables",
    about: "The variables of a gateway project.",
    path: `${account}/projects/{projectName}/variables`,
    noun: "Variable",
  },
  {
    name: "Views",
    about: "The saved views of an account: named filters of the console's lists.",
    path: `${account}/views`,
    noun: "View",
  },
];

/** The text of the generated file. */
export function clientResources(document: OpenApiDocument): Promise<string> {
  const classes = resources.map((resource) => classOf(resource, document)).join("\n\n");
  const code = classes.replaceAll(/\/\*[\s\S]*?\*\//g, "");
  const used = (names: string[]) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(code)).join(", ");
  return formatted(`// Written by \`npm run generate\` from the OpenAPI document. Do not edit.
    import type { List, PageOptions } from "../transport/list.ts";
    import type { ${used(["ChangeOptions", "CreateOptions", "RequestOptions", "TagOptions"])} } from "../transport/options.ts";
    import type { ${used(Object.keys(document.components.schemas).sort())} } from "../transport/schema.gen.ts";
    import type { Transport } from "../transport/transport.ts";

    ${classes}`);
}

function classOf(resource: Resource, document: OpenApiDocument): string {
  const own = parametersIn(resource.path).map((name) => `${name}: string`);
  const operations = Object.entries(document.paths)
    .filter(([path]) => path === resource.path || path.startsWith(`${resource.path}/`))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })))
    .filter(({ operation }) => !resource.except?.includes(operation.operationId));
  const methods = operations.map((route) => methodOf(resource, route));
  const parts = {
    options: methods.map(({ options }) => options).join("\n"),
    members: methods.map(({ text }) => text).join("\n\n"),
  };
  return `${parts.options}
    ${comment(resource.about)}export class ${resource.name} {
      readonly #transport: Transport;
      ${own.length > 0 ? `readonly #params: { ${own.join("; ")} };` : ""}

      constructor(${["transport: Transport", ...own].join(", ")}) {
        this.#transport = transport;
        ${own.length > 0 ? `this.#params = { ${parametersIn(resource.path).join(", ")} };` : ""}
      }

      ${parts.members}
    }`;
}

interface Method {
  /** The declaration of its options, if it has some of its own. */
  options: string;
  text: string;
}

interface Route {
  method: string;
  path: string;
  operation: Operation;
}

function methodOf(resource: Resource, { method, path, operation }: Route): Method {
  const { operationId } = operation;
  const name = methodName(resource, operationId);
  const ids = parametersIn(path.slice(resource.path.length));
  const isList = operation.parameters.some((parameter) => parameter.name === "offset");
  const body = bodyOf(resource, name, operation);
  const query = queryOf(operation);

  const params = [...(parametersIn(resource.path).length > 0 ? ["...this.#params"] : []), ...ids].join(", ");
  const rest = isList ? "paging" : "options";
  const own = query.filter((parameter) => parameter.name !== "tag");
  const optionTypes = [
    ...(query.length > own.length ? ["TagOptions"] : []),
    ...(isList ? ["PageOptions"] : []),
    ...standardOptions(operation),
  ];
  const optionsName = `${capital(name)}${resource.name}Options`;
  const type = own.length > 0 ? optionsName : optionTypes.join(" & ");
  const names = query.map((parameter) => camel(parameter.name));
  const option =
    names.length > 0
      ? `{ ${names.join(", ")}, ...${rest} }: ${type} = {}`
      : isList
        ? `${rest}: ${type} = {}`
        : `${rest}?: ${type}`;
  const sent = [
    ...(params === "" ? [] : [`params: { ${params} }`]),
    ...(names.length > 0
      ? [
          `query: { ${query.map((parameter) => `${JSON.stringify(parameter.name)}: ${camel(parameter.name)}`).join(", ")} }`,
        ]
      : []),
    ...(body ? [`body${body.parameter ? `: ${body.name}` : ": {}"}`] : []),
    // A POST that needs no Idempotency-Key only reads.
    ...(method === "post" && !hasHeader(operation, "Idempotency-Key") ? ["isRepeatable: true"] : []),
  ];
  const call = isList
    ? `list("${operationId}", { call: { ${sent.join(", ")} }, paging })`
    : `call("${operationId}", { ${[...sent, "options"].join(", ")} })`;
  const item = responseType(operation);
  const returns = isList ? `List<${item.replace(/List$/, "")}>` : `Promise<${item}>`;
  const parameters = [...ids.map((id) => `${id}: string`), ...(body?.parameter ? [body.parameter] : []), option];
  return {
    options: own.length > 0 ? optionsInterface(optionsName, optionTypes, own) : "",
    text: `${docOf(operation, exampleOf(resource, name, { ids, isList, example: body?.parameter ? body.example : undefined, returns }))}
      ${name}(${parameters.join(", ")}): ${returns} {
        return this.#transport.${call};
      }`,
  };
}

/** `listGrantEntries` is `entries`, `voidGrant` is `void`, `inviteMemberAgain` is `inviteAgain`. */
function methodName({ noun, methods }: Resource, operationId: string): string {
  const rest = operationId.replace(new RegExp(`${noun}s?(?=[A-Z]|$)`), "");
  const listed = /^list(.+)$/.exec(rest)?.[1];
  return methods?.[operationId] ?? (listed ? listed[0]!.toLowerCase() + listed.slice(1) : rest);
}

/** `parameter` is undefined if the body is always empty. */
function bodyOf({ noun }: Resource, method: string, { requestBody }: Operation) {
  const content = requestBody?.content["application/json"];
  if (!content) return undefined;
  const name = method === "update" ? "changes" : camel(noun);
  const isEmpty = content.schema.properties !== undefined && Object.keys(content.schema.properties).length === 0;
  const parameter = isEmpty ? undefined : `${name}: ${typeOf(content.schema)}${requestBody.required ? "" : " = {}"}`;
  return { name, parameter, example: content.example };
}

/** What filters or selects: not the page, which \`PageOptions\` has, nor the account, which the client adds. */
function queryOf({ parameters }: Operation): Parameter[] {
  return parameters.filter(
    (parameter) => parameter.in === "query" && !["limit", "offset", "accountName"].includes(parameter.name),
  );
}

function standardOptions(operation: Operation): string[] {
  const types = [
    ...(hasHeader(operation, "Idempotency-Key") ? ["CreateOptions"] : []),
    ...(hasHeader(operation, "If-Match") ? ["ChangeOptions"] : []),
  ];
  return types.length > 0 ? types : ["RequestOptions"];
}

function hasHeader({ parameters }: Operation, header: string): boolean {
  return parameters.some(({ name }) => name === header);
}

function optionsInterface(name: string, parents: string[], own: Parameter[]): string {
  const members = own.map(
    ({ name: member, description, schema }) =>
      `${comment(description)}${camel(member)}?: ${typeOf(schema)} | undefined;`,
  );
  return `export interface ${name} extends ${parents.join(", ")} { ${members.join("\n")} }\n`;
}

function responseType({ responses }: Operation): string {
  const schema = (responses[200] ?? responses[202])?.content?.["application/json"]?.schema;
  return schema ? typeOf(schema) : "void";
}

/** The summary and the description, without its last lines, which name the roles. */
function docOf({ summary, description }: Operation, example: string): string {
  const text = (description ?? "").split("\n\n").filter((part) => !/^(Roles:|Also with)/.test(part));
  const lines = [`${summary}.`, ...text.flatMap((part) => part.split("\n"))];
  return `/**
    ${lines.map((line) => ` * ${line}`).join("\n")}
     *
     * @example
     * \`\`\`ts
    ${example
      .split("\n")
      .map((line) => ` * ${line}`)
      .join("\n")}
     * \`\`\`
     */`;
}

/** Values of parameters in examples. Others are variables with the parameter's name. */
const samples: Record<string, string> = {
  bucketName: '"main"',
  consumerName: '"acme"',
  customerKey: '"acme"',
  projectName: '"orders"',
  variableName: '"UPSTREAM_TOKEN"',
};

interface ExampleParts {
  ids: string[];
  isList: boolean;
  example: unknown;
  returns: string;
}

function exampleOf({ name, path }: Resource, method: string, { ids, isList, example, returns }: ExampleParts): string {
  const own = parametersIn(path).map(sampleOf);
  const resource = `client.${camel(name)}${own.length > 0 ? `(${own.join(", ")})` : ""}`;
  const call = `${resource}.${method}(${[...ids.map(sampleOf), ...(example === undefined ? [] : [literal(example)])].join(", ")})`;
  if (isList) return `for await (const item of ${call}) console.log(item);`;
  const result = /^Promise<(\w+)>$/.exec(returns)?.[1] ?? "result";
  return result === "void" ? `await ${call};` : `const ${camel(result)} = await ${call};`;
}

function sampleOf(parameter: string): string {
  return samples[parameter] ?? parameter;
}

function literal(value: unknown): string {
  const unquoted = (text: string) => text.replace(/"([A-Za-z_]\w*)":/g, "$1:");
  const line = unquoted(JSON.stringify(value, undefined, 1)).replace(/\n\s*/g, " ");
  return line.length <= 80 ? line : unquoted(JSON.stringify(value, undefined, 2));
}

function parametersIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!).filter((name) => name !== "accountName");
}

function camel(name: string): string {
  const joined = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return joined[0]!.toLowerCase() + joined.slice(1);
}

function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}
