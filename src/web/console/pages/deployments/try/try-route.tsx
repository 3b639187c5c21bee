import { useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import type { DeployedRoutes, DeploymentTry, DeploymentVersionContents } from "../../../../../client/index.ts";
import { isJsonObject } from "../../../../../lib/text/json-object.ts";
import { resolvedIn } from "../../../../../lib/text/json-pointer.ts";
import { Button } from "../../../../components/button.tsx";
import { bindInput, SelectField, TextArea, TextField } from "../../../../components/field.tsx";
import { Form } from "../../../../components/form.tsx";
import { ErrorNotice, SkeletonLines } from "../../../../components/notice.tsx";
import { errorAt } from "../../../../lib/errors.ts";
import { type Pair, PairsEditor } from "../../../components/pairs.tsx";
import { CopyAs, useCall } from "../../../shell/requests.tsx";
import { type Credential, CredentialField, credentialFields, expectedCredential } from "./credential-field.tsx";
import { TryResult } from "./try-result.tsx";

interface Props {
  deployment: string;
  version: number;
  route: DeployedRoutes["data"][number];
  contents: DeploymentVersionContents["contents"];
}

const anyMethod = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Sends a request to the route, filled in with the examples of its OpenAPI document. */
export function TryRoute({ deployment, version, route, contents }: Props) {
  const document = useQuery({
    queryKey: ["document", deployment, version],
    queryFn: async () => (await parseDocument(contents.document)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (document.isPending) return <SkeletonLines count={4} />;
  const method = anyMethod.includes(route.method) ? route.method : "GET";
  const operation = operationOf(document.data ?? undefined, method, route.path);
  return <TryForm deployment={deployment} route={route} contents={contents} operation={operation} />;
}

const pairsOf = ({ parameters }: Operation, place: "query" | "header"): Pair[] =>
  parameters.filter((each) => each.in === place).map(({ name, value }) => ({ name, value }));

function TryForm({ deployment, route, contents, operation }: Omit<Props, "version"> & { operation: Operation }) {
  const methods = anyMethod.includes(route.method) ? [route.method] : anyMethod;
  const [method, setMethod] = useState(methods[0]!);
  const inPath = operation.parameters.filter((each) => each.in === "path");
  const [values, setValues] = useState(() => Object.fromEntries(inPath.map(({ name, value }) => [name, value])));
  const [query, setQuery] = useState(() => pairsOf(operation, "query"));
  const [headers, setHeaders] = useState(() => pairsOf(operation, "header"));
  const [body, setBody] = useState(operation.body);
  const [credential, setCredential] = useState<Credential>({ kind: "none" });
  const expected = expectedCredential(route, contents.policies);
  const hasBody = method !== "GET" && method !== "HEAD";

  const { key, header } = credentialFields(credential, expected);
  const sentBody = hasBody && body !== "" ? body : undefined;
  const sentHeaders = [
    ...(sentBody === undefined ? [] : [["content-type", operation.contentType ?? "application/json"] as const]),
    ...headers
      .filter(({ name, value }) => name !== "" && value !== "")
      .map(({ name, value }) => [name, value] as const),
    ...(header ? [header] : []),
  ];
  const sentQuery = query.filter(({ name, value }) => name !== "" && value !== "");
  const search =
    sentQuery.length === 0 ? "" : `?${new URLSearchParams(sentQuery.map(({ name, value }) => [name, value]))}`;
  const request: DeploymentTry = {
    method: method as DeploymentTry["method"],
    path: filledPath(route.path, values) + search,
    ...(sentHeaders.length === 0 ? {} : { headers: Object.fromEntries(sentHeaders) }),
    body: sentBody,
    key,
  };
  const send = useCall({ call: (api) => api.deployments.try(deployment, request) });
  return (
    <Form className="stack" onSubmit={() => send.mutate()}>
      {send.error && <ErrorNotice error={send.error} />}
      {methods.length > 1 && (
        <SelectField
          label="Method"
          options={methods.map((each) => ({ value: each, label: each }))}
          {...bindInput(method, setMethod)}
        />
      )}
      {inPath.map(({ name }) => (
        <TextField
          key={name}
          label={name}
          isMono
          value={values[name] ?? ""}
          onChange={(event) => setValues((all) => ({ ...all, [name]: event.target.value }))}
        />
      ))}
      {expected && <CredentialField expected={expected} credential={credential} onChange={setCredential} />}
      <PairsEditor legend="Query" one="query parameter" pairs={query} onChange={setQuery} />
      <PairsEditor legend="Headers" one="header" pairs={headers} onChange={setHeaders} />
      {hasBody && (
        <TextArea
          label="Body"
          isMono
          rows={Math.min(12, Math.max(3, body.split("\n").length))}
          hint={operation.contentType}
          {...bindInput(body, setBody, errorAt(send.errors, "/body"))}
        />
      )}
      <div className="row row-between row-wrap">
        <code className="wrap-anywhere">
          {request.method} {request.path}
        </code>
        <span className="row">
          <CopyAs of={send} />
          <Button
            icon={Send}
            type="submit"
            kind="primary"
            isBusy={send.isPending}
            disabled={inPath.some(({ name }) => !values[name])}
          >
            Send
          </Button>
        </span>
      </div>
      {send.data && <TryResult response={send.data} />}
    </Form>
  );
}

/** A value to fill in, with an example from the document. */
interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  value: string;
  isRequired: boolean;
}

/** The parts of an OpenAPI operation that are needed to build a request. */
interface Operation {
  parameters: Parameter[];
  contentType: string | undefined;
  body: string;
}

type Json = Record<string, unknown>;

const maxDepth = 8;

/** Parses the document. Returns undefined if there is none, or if it cannot be parsed: then nothing is filled in. */
async function parseDocument(document: { file: string; text: string } | null | undefined): Promise<Json | undefined> {
  if (!document) return undefined;
  try {
    if (document.file.endsWith(".json")) return objectOf(JSON.parse(document.text));
    // Loaded only for projects in YAML.
    const { parse } = await import("yaml");
    return objectOf(parse(document.text));
  } catch {
    return undefined;
  }
}

/** The parameters and the body of a route. Path parameters that the document lacks are added. */
function operationOf(document: Json | undefined, method: string, path: string): Operation {
  const resolve: Resolve = (value) => resolvedIn(document, value);
  const item = resolve(objectOf(document?.paths)?.[path]);
  const operation = resolve(item?.[method.toLowerCase()] ?? item?.["x-tollgate-any"]);
  const declared = [...listOf(item?.parameters), ...listOf(operation?.parameters)].map(resolve);
  const byPlace = new Map<string, Parameter>();
  for (const [, name = ""] of path.matchAll(/\{([^{}+]+)\+?\}/g))
    byPlace.set(`path ${name}`, { name, in: "path", value: "", isRequired: true });
  for (const parameter of declared) {
    const { name, in: place } = parameter ?? {};
    if (typeof name !== "string" || (place !== "path" && place !== "query" && place !== "header")) continue;
    const value = textOf(exampleOf(parameter!, resolve));
    byPlace.set(`${place} ${name}`, { name, in: place, value, isRequired: parameter!.required === true });
  }
  const content = objectOf(resolve(operation?.requestBody)?.content) ?? {};
  const contentType = Object.keys(content).find((type) => type.includes("json")) ?? Object.keys(content)[0];
  const media = contentType === undefined ? undefined : resolve(content[contentType]);
  const example = media && exampleOf(media, resolve);
  return {
    parameters: [...byPlace.values()],
    contentType,
    body: example === undefined ? "" : typeof example === "string" ? example : JSON.stringify(example, null, 2),
  };
}

/** Fills the parameters of a path in. `{rest+}` keeps its slashes. */
function filledPath(path: string, values: Record<string, string>): string {
  return path.replace(/\{([^{}+]+)(\+?)\}/g, (_, name: string, rest: string) => {
    const value = values[name] ?? "";
    return rest ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
  });
}

type Resolve = (value: unknown) => Json | undefined;

/** The example of a parameter or media type: its own, one of its schema, or a value of its type. */
function exampleOf(owner: Json, resolve: Resolve): unknown {
  if (owner.example !== undefined) return owner.example;
  const named = resolve(Object.values(objectOf(owner.examples) ?? {})[0]);
  if (named?.value !== undefined) return named.value;
  return generatedValue(owner.schema, resolve, 0);
}

function generatedValue(place: unknown, resolve: Resolve, depth: number): unknown {
  const schema = resolve(place);
  if (!schema || depth > maxDepth) return undefined;
  const given =
    schema.example ?? schema.default ?? schema.const ?? listOf(schema.examples)[0] ?? listOf(schema.enum)[0];
  if (given !== undefined) return given;
  const parts = listOf(schema.allOf).map((part) => generatedValue(part, resolve, depth + 1));
  const [option] = [...listOf(schema.oneOf), ...listOf(schema.anyOf)];
  const type = listOf(schema.type)[0] ?? schema.type;
  if (type === "object" || schema.properties || parts.length > 0) {
    const members = Object.entries(objectOf(schema.properties) ?? {}).map(([name, member]) => [
      name,
      generatedValue(member, resolve, depth + 1),
    ]);
    return Object.assign({}, ...parts.filter((part) => typeof part === "object"), Object.fromEntries(members));
  }
  if (option !== undefined) return generatedValue(option, resolve, depth + 1);
  if (type === "array") return [generatedValue(schema.items, resolve, depth + 1)].filter((item) => item !== undefined);
  if (type === "integer" || type === "number") return typeof schema.minimum === "number" ? schema.minimum : 1;
  if (type === "boolean") return true;
  return type === "string" ? "" : undefined;
}

const objectOf = (value: unknown): Json | undefined => (isJsonObject(value) ? value : undefined);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
