import { anyMethod } from "../../core/artifact/artifact.ts";
import { maxPaths, maxRoutes, tooManyPaths } from "../documents/document-limits.ts";
import type { Located } from "../documents/located.ts";
import type { DocumentFiles } from "./document-files.ts";
import { type ApiParameter, checkPathParameters, overriding, readParameters } from "./parameters.ts";
import { type PathTemplate, readPathTemplate } from "./path-template.ts";
import { type DocumentContext, type References, referencesOf } from "./references.ts";

/** The parts of an operation that a gateway uses. */
export interface ApiOperation {
  path: string;
  /** The method as sent in requests, or `anyMethod`. */
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

const documentMembers = ["openapi", "info", "jsonSchemaDialect", "servers", "paths", "webhooks", "components"];
const documentNotes = ["security", "tags", "externalDocs"];
const pathItemMembers = ["$ref", "summary", "description", "servers", "parameters", ...methods, anyMember];
/** OpenAPI 3.2: operations whose methods have no member of their own in a path item. */
const otherOperations = "additionalOperations";
const membersOf32 = ["query", otherOperations];
const operationMembers = ["tags", "summary", "description", "externalDocs", "operationId", "parameters", "requestBody"];
const operationNotes = ["responses", "callbacks", "deprecated", "security", "servers"];

/** Reads an OpenAPI document. Adds its errors to the findings and returns the valid parts. */
export function readOpenApi(files: DocumentFiles): ApiDocument | undefined {
  const { root } = files;
  if (!root.expectObject("an OpenAPI document")) return undefined;
  const version = root.member("openapi");
  if (!version) root.error('"openapi" is missing: the version of OpenAPI, such as "3.1.0"');
  else if (typeof version.value !== "string" || !/^3\.[012]\.\d+$/.test(version.value)) {
    version.error("must be a version of OpenAPI 3.0, 3.1 or 3.2, in quotes");
  }
  const isVersion32 = String(version?.value).startsWith("3.2");
  root.expectMembers([...documentMembers, ...documentNotes, ...(isVersion32 ? ["$self"] : [])]);
  checkInfo(root);
  if (isVersion32) checkSelf(root.member("$self"));
  for (const reference of files.references) files.target(reference);
  const references = referencesOf(files);
  const operations = readPaths(root, { references, isVersion32 });
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

/** Checks the document's own address. References that begin with it point into the document. */
function checkSelf(self: Located | undefined): void {
  if (!self) return;
  if (typeof self.value !== "string" || self.value === "" || self.value.includes("#"))
    self.error('"$self" must be the address of the document, without a fragment');
}

function readPaths(root: Located, context: DocumentContext): ApiOperation[] {
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
    if (shapes.size > maxPaths) {
      paths.keyError(tooManyPaths);
      return [];
    }
    operations.push(...readPathItem(pathItem, template, context));
    if (operations.length > maxRoutes) {
      paths.keyError(`has more than ${maxRoutes} operations: a project has at most that many routes`);
      return [];
    }
  }
  if (paths.members().length === 0) paths.error("has no paths: a gateway has no routes without them");
  return operations;
}

function readPathItem(pathItem: Located, template: PathTemplate, context: DocumentContext): ApiOperation[] {
  const resolved = context.references.resolve(pathItem);
  if (!resolved?.expectObject("a path")) return [];
  resolved.expectMembers([...pathItemMembers, ...(context.isVersion32 ? membersOf32 : [])]);
  const shared = readParameters(resolved, context);
  return operationsOf(resolved, context).flatMap(({ method, definition }) => {
    if (!definition.expectObject("an operation")) return [];
    if (method === "TRACE") {
      definition.warning("TRACE requests are not supported: this operation is ignored");
      return [];
    }
    definition.expectMembers([...operationMembers, ...operationNotes]);
    const parameters = overriding(shared, readParameters(definition, context));
    checkPathParameters(definition, template, parameters);
    return {
      path: pathItem.name,
      method,
      operationId: readOperationId(definition),
      definition,
      pathItem: resolved,
      parameters,
      requestBody: readRequestBody(definition, context.references),
    };
  });
}

function operationsOf(
  pathItem: Located,
  { isVersion32 }: DocumentContext,
): Pick<ApiOperation, "method" | "definition">[] {
  const named = [...methods, ...(isVersion32 ? ["query"] : []), anyMember].flatMap((name) => {
    const definition = pathItem.member(name);
    return definition ? { method: name === anyMember ? anyMethod : name.toUpperCase(), definition } : [];
  });
  const others = isVersion32 ? pathItem.member(otherOperations) : undefined;
  if (!others?.expectObject(`"${otherOperations}"`)) return named;
  return [...named, ...others.members().flatMap((definition) => readOtherOperation(definition))];
}

/** Methods are case-sensitive. One that differs from a usual one only by its case is most likely a typing error. */
function readOtherOperation(definition: Located): Pick<ApiOperation, "method" | "definition">[] {
  const { name } = definition;
  const member = name.toLowerCase();
  if ([...methods, "query"].includes(member)) {
    definition.keyError(`the operation of ${name.toUpperCase()} is the member "${member}" of the path`);
  } else if (member === "connect") {
    definition.warning("CONNECT requests are not supported: this operation is ignored");
  } else if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(name) || name === anyMethod) {
    definition.keyError(`"${name}" is not a method`);
  } else return [{ method: name, definition }];
  return [];
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
    references.resolve(mediaType)?.expectObject("a media type");
    if (!/^[^\s/;,]+\/[^\s/;,]+(;.*)?$/.test(mediaType.name))
      mediaType.keyError(`"${mediaType.name}" is not a media type`);
  }
  return body;
}
