import { useQuery } from "@tanstack/react-query";
import { Plus, Send, X } from "lucide-react";
import { useState } from "react";
import type { DeployedRoutes, DeploymentTry, DeploymentVersionContents } from "../../../../../client/index.ts";
import { Button } from "../../../../components/button.tsx";
import { SelectField, TextArea, TextField } from "../../../../components/field.tsx";
import { Form } from "../../../../components/form.tsx";
import { ErrorNotice } from "../../../../components/notice.tsx";
import { SkeletonLines } from "../../../../components/skeleton.tsx";
import { errorAt, fieldErrors } from "../../../../lib/errors.ts";
import { bindInput } from "../../../../lib/form-fields.ts";
import { filledPath, type Operation, operationOf, parseDocument } from "../../../queries/operation.ts";
import { CopyAs, useCall } from "../../../shell/requests.tsx";
import { type Credential, credentialFields, expectedCredential } from "./credential.ts";
import { CredentialField } from "./credential-field.tsx";
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
    ...(sentBody === undefined ? {} : { body: sentBody }),
    ...(key ? { key } : {}),
  };
  const send = useCall({ call: (api) => api.deployments.try(deployment, request) });
  const errors = fieldErrors(send.error);
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
      <PairsField label="Query" one="query parameter" pairs={query} onChange={setQuery} />
      <PairsField label="Headers" one="header" pairs={headers} onChange={setHeaders} />
      {hasBody && (
        <TextArea
          label="Body"
          isMono
          rows={Math.min(12, Math.max(3, body.split("\n").length))}
          hint={operation.contentType}
          {...bindInput(body, setBody, errorAt(errors, "/body"))}
        />
      )}
      <div className="row row-between row-wrap">
        <code className="wrap-anywhere">
          {request.method} {request.path}
        </code>
        <span className="row">
          <CopyAs of={send} />
          <Button
            type="submit"
            kind="primary"
            isBusy={send.isPending}
            disabled={inPath.some(({ name }) => !values[name])}
          >
            <Send size={16} aria-hidden />
            Send
          </Button>
        </span>
      </div>
      {send.data && <TryResult response={send.data} />}
    </Form>
  );
}

interface Pair {
  name: string;
  value: string;
}

interface PairsFieldProps {
  /** The label of the field: "Query" or "Headers". */
  label: string;
  /** The noun for one pair: "query parameter" or "header". */
  one: string;
  pairs: Pair[];
  onChange: (pairs: Pair[]) => void;
}

/** Names with values, in rows. A row without a value is not sent. */
function PairsField({ label, one, pairs, onChange }: PairsFieldProps) {
  const replace = (index: number, change: Partial<Pair>) =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...change } : pair)));
  return (
    <fieldset className="pairs">
      <legend className="field-label">{label}</legend>
      {pairs.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Rows have no other identity while they are edited.
        <div className="pair" key={index}>
          <input
            className="input mono"
            aria-label={`Name of the ${one}`}
            placeholder="Name"
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={(event) => replace(index, { name: event.target.value })}
          />
          <input
            className="input mono"
            aria-label={name === "" ? `Value of the ${one}` : `${name} (${one})`}
            placeholder="Value"
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => replace(index, { value: event.target.value })}
          />
          <Button
            kind="quiet"
            isIcon
            aria-label={`Remove the ${one} ${name}`}
            onClick={() => onChange(pairs.filter((_, at) => at !== index))}
          >
            <X size={16} aria-hidden />
          </Button>
        </div>
      ))}
      <div>
        <Button isSmall onClick={() => onChange([...pairs, { name: "", value: "" }])}>
          <Plus size={14} aria-hidden />
          Add {one}
        </Button>
      </div>
    </fieldset>
  );
}
