import { anyMethod } from "../../core/artifact/artifact.ts";
import { mostPaths, mostRoutes, tooManyPaths } from "../documents/document-limits.ts";
import type { Located } from "../documents/located.ts";
import { type PathTemplate, readPathTemplate } from "./path-template.ts";
import { checkReferences, localReferences, type References } from "./references.ts";

export interface ApiParameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  definition: Located;
}

/** The parts of an operation that a gateway uses. */
export interface ApiOperation {
  path: string;
  /** Upper case, or `anyMethod`. */
  method: string;
  operationId: string | undefined;
  definition: Located;
  pathItem: Located;
  parameters: ApiParameter[];
  requestBody: Located | undefined;
}

export interface ApiDocument {
  root: Located;
  /** 3.0 has its own dialect of JSON Schema. */
  isVersion30: boolean;
  operations: ApiOperation[];
  references: References;
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/** An operation for all methods that the path does not declare. */
const anyMember = "x-tollgate-any";

const places = ["path", "query", "header", "cookie"];

const documentMembers = ["openapi", "info", "jsonSchemaDialect", "servers", "paths", "webhooks", "components"];
const documentNotes = ["security", "tags", "externalDocs"];
const pathItemMembers = ["$ref", "summary", "description", "servers", "parameters", ...methods, anyMember];
const operationMembers = ["tags", "summary", "description", "externalDocs", "operationId", "parameters", "requestBody"];
const operationNotes = ["responses", "callbacks", "deprecated", "security", "servers"];

/** Reads an OpenAPI document. Adds its errors to the findings and returns the valid parts. */
export function readOpenApi(root: Located): ApiDocument | undefined {
  if (!root.expectObject("an OpenAPI document")) return undefined;
  const version = root.member("openapi");
  if (!version) root.error('"openapi" is missing: the version of OpenAPI, such as "3.1.0"');
  else if (typeof version.value !== "string" || !/^3\.[01]\.\d+$/.test(version.value)) {
    version.error("must be a version of OpenAPI 3.0 or 3.1, in quotes");
  }
  root.expectMembers([...documentMembers, ...documentNotes]);
  checkInfo(root);
  checkReferences(root);
  const references = localReferences(root);
  const operations = readPaths(root, references);
  checkOperationIds(operations);
  return { root, references, operations, isVersion30: String(version?.value).startsWith("3.0") };
}

function checkInfo(root: Located): void {
  const info = root.member("info");
  if (!info) root.error('"info" is missing');
  if (!info?.expectObject("info")) return;
  for (const name of ["title", "version"]) {
    const member = info.member(name);
    if (!member) info.error(`"${name}" is missing`);
    else if (typeof member.value !== "string") member.error(`"${name}" must be a string`);
  }
}

function readPaths(root: Located, references: References): ApiOperation[] {
  const paths = root.member("paths");
  if (!paths) root.error('"paths" is missing: a gateway has no routes without them');
  if (!paths?.expectObject("paths")) return [];
  const shapes = new Map<string, string>();
  const operations: ApiOperation[] = [];
  for (const pathItem of paths.members()) {
    if (pathItem.name.startsWith("x-")) continue;
    const template = readPathTemplate(pathItem.name);
    if (typeof template === "string") {
      pathItem.keyError(template);
      continue;
    }
    const same = shapes.get(template.shape);
    if (same !== undefined) pathItem.keyError(`the path "${pathItem.name}" matches the same requests as "${same}"`);
    shapes.set(template.shape, pathItem.name);
    if (shapes.size > mostPaths) {
      paths.keyError(tooManyPaths);
      return [];
    }
    operations.push(...readPathItem(pathItem, template, references));
    if (operations.length > mostRoutes) {
      paths.keyError(`has more than ${mostRoutes} operations: a project has at most that many routes`);
      return [];
    }
  }
  if (paths.members().length === 0) paths.error("has no paths: a gateway has no routes without them");
  return operations;
}

function readPathItem(pathItem: Located, template: PathTemplate, references: References): ApiOperation[] {
  const resolved = references.resolve(pathItem);
  if (!resolved?.expectObject("a path")) return [];
  resolved.expectMembers(pathItemMembers);
  const shared = readParameters(resolved, references);
  return [...methods, anyMember].flatMap((method) => {
    const definition = resolved.member(method);
    if (!definition?.expectObject("an operation")) return [];
    if (method === "trace") {
      definition.warning("TRACE requests are not served: this operation is left out");
      return [];
    }
    definition.expectMembers([...operationMembers, ...operationNotes]);
    const parameters = overriding(shared, readParameters(definition, references));
    checkPathParameters(definition, template, parameters);
    return {
      path: pathItem.name,
      method: method === anyMember ? anyMethod : method.toUpperCase(),
      operationId: readOperationId(definition),
      definition,
      pathItem: resolved,
      parameters,
      requestBody: readRequestBody(definition, references),
    };
  });
}

function readOperationId(operation: Located): string | undefined {
  const member = operation.member("operationId");
  if (!member) return undefined;
  if (typeof member.value === "string") return member.value;
  member.error('"operationId" must be a string');
  return undefined;
}

function checkOperationIds(operations: ApiOperation[]): void {
  const seen = new Set<string>();
  for (const { operationId, definition } of operations) {
    if (operationId === undefined) continue;
    if (seen.has(operationId))
      definition.member("operationId")?.error(`"${operationId}" is the id of another operation too`);
    seen.add(operationId);
  }
}

function readParameters(owner: Located, references: References): ApiParameter[] {
  const list = owner.member("parameters");
  if (!list) return [];
  if (!Array.isArray(list.value)) {
    list.error('"parameters" must be a list');
    return [];
  }
  const seen = new Set<string>();
  return list.items().flatMap((item) => {
    const parameter = readParameter(item, references);
    if (!parameter) return [];
    const key = keyOf(parameter);
    if (seen.has(key)) item.error(`the ${parameter.in} parameter "${parameter.name}" is defined twice`);
    seen.add(key);
    return parameter;
  });
}

function readParameter(item: Located, references: References): ApiParameter | undefined {
  const definition = references.resolve(item);
  if (!definition?.expectObject("a parameter")) return undefined;
  const name = definition.member("name");
  const place = definition.member("in");
  if (typeof name?.value !== "string" || name.value === "") {
    (name ?? definition).error('a parameter must have a "name"');
    return undefined;
  }
  if (!places.includes(place?.value as string)) {
    (place ?? definition).error('"in" must be "path", "query", "header" or "cookie"');
    return undefined;
  }
  const schema = definition.member("schema");
  const content = definition.member("content");
  if (!schema === !content) definition.error(`the parameter "${name.value}" must have a "schema" or a "content"`);
  const required = definition.member("required");
  if (place!.value === "path" && required?.value !== true) {
    (required ?? definition).error(`the path parameter "${name.value}" must have "required": true`);
  } else if (required && typeof required.value !== "boolean") required.error('"required" must be true or false');
  return { name: name.value, in: place!.value as ApiParameter["in"], definition };
}

/** Parameters of an operation override those of its path. */
function overriding(shared: ApiParameter[], own: ApiParameter[]): ApiParameter[] {
  const keys = new Set(own.map(keyOf));
  return [...shared.filter((parameter) => !keys.has(keyOf(parameter))), ...own];
}

function keyOf(parameter: ApiParameter): string {
  // Header names are case-insensitive.
  return `${parameter.in} ${parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name}`;
}

function checkPathParameters(operation: Located, template: PathTemplate, parameters: ApiParameter[]): void {
  const declared = parameters.filter((parameter) => parameter.in === "path");
  for (const name of template.parameters) {
    if (declared.some((parameter) => parameter.name === name)) continue;
    operation.keyError(`the path's parameter "${name}" is not among the parameters`);
  }
  for (const { name, definition } of declared) {
    if (!template.parameters.includes(name) && template.rest !== name)
      definition.error(`the path has no parameter "${name}"`);
  }
}

function readRequestBody(operation: Located, references: References): Located | undefined {
  const member = operation.member("requestBody");
  const body = member && references.resolve(member);
  if (!body?.expectObject("a request body")) return undefined;
  const content = body.member("content");
  if (!content) body.error('a request body must have a "content"');
  if (!content?.expectObject("content")) return undefined;
  const required = body.member("required");
  if (required && typeof required.value !== "boolean") required.error('"required" must be true or false');
  for (const mediaType of content.members()) {
    mediaType.expectObject("a media type");
    if (!/^[^\s/;,]+\/[^\s/;,]+(;.*)?$/.test(mediaType.name))
      mediaType.keyError(`"${mediaType.name}" is not a media type`);
  }
  return body;
}
