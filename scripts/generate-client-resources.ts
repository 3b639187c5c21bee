/**
 * Writes the classes of the client from the OpenAPI document: a method for each operation. Parameters, options, types,
 * comments and examples are those of the endpoints; `client-resources.ts` has the names.
 */
import { join } from "node:path";
import { type Method, otherOperations, type Resource, resources } from "./client-resources.ts";
import { camel, descriptionOf, docComment, exampleOf, memberOf, parametersIn } from "./generate-client-comments.ts";
import {
  comment,
  formatted,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Schema,
  typeOf,
} from "./generate-client-types.ts";

const folder = join(import.meta.dir, "../src/client/resources");

export const generatedResourcesFile = join(folder, "resources.gen.ts");
/** The class with a member for each of the resources. */
export const generatedAccountFile = join(folder, "account-resources.gen.ts");

/** Types of parameters for which the document has a wider or another one. */
const parameterTypes: Record<string, string> = {
  mode: 'PaymentProvider["mode"]',
  versionNumber: "number | string",
  near: "number",
  version: "number",
  customerKeys: "readonly string[]",
  names: "readonly string[]",
  permissions: "readonly string[]",
};

interface Route {
  method: string;
  path: string;
  operation: Operation;
}

/** The text of `resources.gen.ts`. */
export function clientResources(document: OpenApiDocument): Promise<string> {
  const declared = new Map<string, string>();
  const { schemas } = document.components;
  const classes = routesByResource(document).map(([resource, routes]) => {
    const methods = routes.flatMap((route) => methodsOf(resource, route, schemas));
    for (const { options } of methods) if (options) declared.set(options.name, options.text);
    return classOf(resource, methods);
  });
  const text = [...declared.values(), ...classes].join("\n\n");
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "");
  const used = (names: string[]) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(code)).join(", ");
  return formatted(`// Written by \`npm run generate\` from the OpenAPI document. Do not edit.
    import type { List, PageOptions } from "../transport/list.ts";
    import type { ${used(["ChangeOptions", "CreateOptions", "RequestOptions", "TagOptions"])} } from "../transport/options.ts";
    import type { ${used(["Operations", ...Object.keys(schemas)].sort(byName))} } from "../transport/schema.gen.ts";
    import type { Transport } from "../transport/transport.ts";

    ${text}`);
}

/** The text of `account-resources.gen.ts`. */
export function clientAccount(document: OpenApiDocument): Promise<string> {
  const ofAccount = resources.filter(({ path }) => parametersIn(path).length === 0);
  const ofOther = routesByResource(document).filter(([{ path }]) => parametersIn(path).length > 0);
  const extended = resources.flatMap(({ name, extendedIn }) =>
    extendedIn ? [`import { ${name} } from "./${extendedIn}";`] : [],
  );
  const generated = resources.filter(({ extendedIn }) => !extendedIn).map(({ name }) => name);
  const methods = ofOther.map(([resource, routes]) => {
    const parameters = parametersIn(resource.path);
    const [first] = routes.flatMap((route) => methodsOf(resource, route, document.components.schemas));
    return `${docComment([resource.about], first!.example)}
      ${memberOf(resource)}(${parameters.map((name) => `${name}: string`).join(", ")}): ${resource.name} {
        return new ${resource.name}(${["this.#transport", ...parameters].join(", ")});
      }`;
  });
  return formatted(`// Written by \`npm run generate\` from the OpenAPI document. Do not edit.
    import type { Transport } from "../transport/transport.ts";
    ${extended.sort((one, other) => byName(one.split("./")[1]!, other.split("./")[1]!)).join("\n")}
    import { ${generated.sort(byName).join(", ")} } from "./resources.gen.ts";

    /** The resources of an account, and those of its buckets, consumers and projects by the name or id of these. */
    export class AccountResources {
      ${ofAccount.map((resource) => `${comment(resource.about)}readonly ${memberOf(resource)}: ${resource.name};`).join("\n")}
      readonly #transport: Transport;

      constructor(transport: Transport) {
        this.#transport = transport;
        ${ofAccount.map((resource) => `this.${memberOf(resource)} = new ${resource.name}(transport);`).join("\n")}
      }

      ${methods.join("\n\n")}
    }`);
}

/** Throws if an operation has no place, so that a new one is not forgotten. */
function routesByResource(document: OpenApiDocument): [Resource, Route[]][] {
  const byResource = new Map<Resource, Route[]>(resources.map((resource) => [resource, []]));
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId } = operation;
      if (otherOperations.includes(operationId)) continue;
      const owner = resources.find((resource) => resource.methods?.[operationId]) ?? longestAbove(path);
      if (!owner?.methods?.[operationId] && !operationId.includes(owner?.noun ?? operationId))
        throw new Error(`client-resources.ts does not name the method of ${operationId}`);
      byResource.get(owner!)!.push({ method, path, operation });
    }
  return [...byResource];
}

function longestAbove(path: string): Resource | undefined {
  return resources
    .filter((resource) => path === resource.path || path.startsWith(`${resource.path}/`))
    .sort((one, other) => other.path.length - one.path.length)[0];
}

function classOf(resource: Resource, methods: MethodText[]): string {
  const parameters = parametersIn(resource.path);
  const own = parameters.map((name) => `${name}: string`);
  const name = resource.extendedIn ? `${resource.name}Calls` : resource.name;
  const text = `${comment(resource.about)}export class ${name} {
      readonly #transport: Transport;
      ${own.length > 0 ? `readonly #params: { ${own.join("; ")} };` : ""}

      constructor(${["transport: Transport", ...own].join(", ")}) {
        this.#transport = transport;
        ${own.length > 0 ? `this.#params = { ${parameters.join(", ")} };` : ""}
      }

      ${methods.map(({ text }) => text).join("\n\n")}
    }`;
  if (!resource.extendedIn) return text;
  return text.replaceAll("readonly #", "protected readonly ").replaceAll("this.#", "this.");
}

interface MethodText {
  /** The declaration of its options, if it has some of its own. */
  options: { name: string; text: string } | undefined;
  example: string;
  text: string;
}

/** The method of an operation, and those that return the same as CSV or HTML. */
function methodsOf(resource: Resource, { method, path, operation }: Route, schemas: Record<string, Schema>) {
  const { operationId, summary } = operation;
  const override = resource.methods?.[operationId] ?? {};
  const form: Method = typeof override === "string" ? { name: override } : override;
  const name = form.name ?? methodName(resource, operationId);
  const isList = operation.parameters.some((parameter) => parameter.name === "offset");
  const ids = pathParameters(resource, path);
  const body = bodyOf(name, form, operation, schemas);
  const query = queryOf(operation, isList);
  const { type, names, declaration } = optionsOf(resource, name, form, { operation, isList, query, body });

  const hasParams = parametersIn(resource.path).length > 0;
  const params = [...(hasParams ? ["...this.#params"] : []), ...ids.map(sentParameter)];
  const sent = [
    ...(ids.length > 0 ? [`params: { ${params.join(", ")} }`] : hasParams ? ["params: this.#params"] : []),
    ...(query.length > 0 ? [`query: { ${query.map((parameter) => sentQuery(parameter, form)).join(", ")} }`] : []),
    ...(body ? [body.sent] : []),
    // A POST that needs no Idempotency-Key only reads.
    ...(method === "post" && (form.isRepeatable || !hasHeader(operation, "Idempotency-Key"))
      ? ["isRepeatable: true"]
      : []),
  ];
  const rest = isList ? "paging" : "options";
  const option =
    names.length > 0
      ? `{ ${names.join(", ")}, ...${rest} }: ${type} = {}`
      : `${rest}${isList ? "" : "?"}: ${type}${isList ? " = {}" : ""}`;
  const parameters = [
    ...ids.map((id) => `${id}: ${parameterTypes[id] ?? "string"}`),
    ...(body?.parameters ?? []),
    option,
  ];
  const call = `"${operationId}", { ${[...sent, "options"].join(", ")} }`;
  const item = responseType(operation);

  const written = (as: string, returns: string, statement: string, suffix = ""): MethodText => {
    const example = exampleOf(resource, as, { ids, isList, examples: body?.examples ?? [], returns });
    const isAsync = statement.includes("await ");
    return {
      options: declaration,
      example,
      text: `${docComment([`${summary}${suffix}.`, ...descriptionOf(operation)], example)}
        ${isAsync ? "async " : ""}${as}(${parameters.join(", ")}): ${returns} { ${statement} }`,
    };
  };
  const main = isList
    ? written(
        name,
        `List<${typeOf(schemas[item]!.properties!.data!.items!)}>`,
        `return this.#transport.list("${operationId}", { call: { ${sent.join(", ")} }, paging });`,
      )
    : form.returnsData
      ? written(name, `Promise<${item}["data"]>`, `return (await this.#transport.call(${call})).data;`)
      : written(name, `Promise<${item}>`, `return this.#transport.call(${call});`);
  const asText = (as: string, type: string, suffix: string) =>
    written(as, "Promise<string>", `return this.#transport.text(${call}, "${type}");`, suffix);
  return [
    main,
    ...(form.html ? [asText(form.html, "text/html", " as an HTML page")] : []),
    ...(form.csv
      ? [
          isList
            ? written(
                form.csv,
                "AsyncGenerator<string, void, undefined>",
                `return this.#transport.csvPages("${operationId}", { call: { ${sent.join(", ")} }, paging });`,
                " as CSV, one text per page",
              )
            : asText(form.csv, "text/csv", " as CSV"),
        ]
      : []),
  ];
}

/** `listGrantEntries` is `entries`, `voidGrant` is `void`, `inviteMemberAgain` is `inviteAgain`. */
function methodName({ noun }: Resource, operationId: string): string {
  const rest = operationId.replace(new RegExp(`${noun}s?(?=[A-Z]|$)`), "");
  const listed = /^list(.+)$/.exec(rest)?.[1];
  return listed ? listed[0]!.toLowerCase() + listed.slice(1) : rest;
}

interface Body {
  parameters: string[];
  /** Fields that are options. */
  fields: [string, Schema][];
  sent: string;
  examples: unknown[];
}

function bodyOf(
  method: string,
  form: Method,
  { requestBody }: Operation,
  schemas: Record<string, Schema>,
): Body | undefined {
  const content = requestBody?.content["application/json"];
  if (!content) return undefined;
  const { schema, example } = content;
  const type = typeOf(schema);
  const properties = Object.entries(schemas[type]?.properties ?? schema.properties ?? { "": {} });
  if (properties.length === 0) return { parameters: [], fields: [], sent: "body: {}", examples: [] };
  if (form.arguments || form.hasFieldOptions) {
    const { arguments: names = [] } = form;
    const fields = form.hasFieldOptions ? properties.filter(([name]) => !names.includes(name)) : [];
    return {
      parameters: names.map((name) => `${name}: ${type}["${name}"]`),
      fields,
      sent: `body: { ${[...names, ...fields.map(([name]) => name)].join(", ")} }`,
      examples: names.map((name) => (example as Record<string, unknown>)[name]),
    };
  }
  const name =
    method === "update"
      ? "changes"
      : /^\w+$/.test(type)
        ? camel(type.replace(/(Create|Input|Update|Set)$/, ""))
        : "items";
  return {
    parameters: [`${name}: ${type}${requestBody.required ? "" : " = {}"}`],
    fields: [],
    sent: `body: ${name}`,
    examples: [example],
  };
}

/** What filters or selects: not the page, which \`PageOptions\` has, nor the account, which the client adds. */
function queryOf({ parameters }: Operation, isList: boolean): Parameter[] {
  const others = ["accountName", "follow", ...(isList ? ["limit", "offset"] : [])];
  return parameters.filter((parameter) => parameter.in === "query" && !others.includes(parameter.name));
}

interface Options {
  type: string;
  /** The options that are sent as query parameters or fields. */
  names: string[];
  declaration: { name: string; text: string } | undefined;
}

function optionsOf(
  resource: Resource,
  method: string,
  form: Method,
  {
    operation,
    isList,
    query,
    body,
  }: { operation: Operation; isList: boolean; query: Parameter[]; body: Body | undefined },
): Options {
  const own = query.filter((parameter) => parameter.name !== "tag");
  const parents = [
    ...(query.length > own.length ? ["TagOptions"] : []),
    ...(isList ? ["PageOptions"] : []),
    ...standardOptions(operation, form),
  ];
  const fields = body?.fields ?? [];
  const members = [
    ...own.map((parameter) => {
      const type = parameterTypes[parameter.name] ?? queryType(operation, parameter);
      return optionMember(optionName(parameter.name, form), parameter.description, type);
    }),
    ...fields.map(([name, schema]) => optionMember(name, schema.description, typeOf(schema))),
  ];
  const names = [
    ...query.map(({ name }) => {
      const option = optionName(name, form);
      return option === "with" ? "with: other" : option;
    }),
    ...fields.map(([name]) => name),
  ];
  if (members.length === 0) return { type: parents.join(" & "), names, declaration: undefined };
  const name = form.options ?? `${capital(method)}${resource.name}Options`;
  const text = `export interface ${name} extends ${parents.join(", ")} { ${members.join("\n")} }`;
  return { type: name, names, declaration: { name, text } };
}

/** A long union is written once, in the types of the operations. */
function queryType({ operationId }: Operation, { name, schema }: Parameter): string {
  const type = typeOf(schema);
  return type.length < 80 ? type : `Operations["${operationId}"]["query"]["${name}"]`;
}

function optionMember(name: string, description: string | undefined, type: string): string {
  return `${comment(description)}${name}?: ${type} | undefined;`;
}

function optionName(parameter: string, form: Method): string {
  return form.query?.[parameter] ?? camel(parameter);
}

function sentParameter(name: string): string {
  return parameterTypes[name]?.includes("number") ? `${name}: String(${name})` : name;
}

function sentQuery({ name }: Parameter, form: Method): string {
  const option = optionName(name, form);
  const value = option === "with" ? "other" : option;
  const type = parameterTypes[name];
  const text = type === "number" ? `${value}?.toString()` : type?.includes("[]") ? `${value}?.join()` : value;
  return text === name ? name : `${JSON.stringify(name)}: ${text}`;
}

function standardOptions(operation: Operation, form: Method): string[] {
  const types = [
    ...(hasHeader(operation, "Idempotency-Key") && !form.isRepeatable ? ["CreateOptions"] : []),
    ...(hasHeader(operation, "If-Match") ? ["ChangeOptions"] : []),
  ];
  return types.length > 0 ? types : ["RequestOptions"];
}

function hasHeader({ parameters }: Operation, header: string): boolean {
  return parameters.some(({ name }) => name === header);
}

function responseType({ responses }: Operation): string {
  const schema = (responses[200] ?? responses[202])?.content?.["application/json"]?.schema;
  return schema ? typeOf(schema) : "void";
}

/** The account is a parameter only of accounts; elsewhere the client adds it. */
function pathParameters(resource: Resource, path: string): string[] {
  const own = parametersIn(resource.path);
  const names = parametersIn(path).filter((name) => !own.includes(name));
  return resource.name === "Accounts" && path.includes("{accountName}") ? ["accountName", ...names] : names;
}

/** The order that the style check asks for in imports. */
function byName(one: string, other: string): number {
  return one.toLowerCase() < other.toLowerCase() ? -1 : 1;
}

function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}
