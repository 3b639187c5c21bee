import { useMutation } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { OperationPage, PortalTryResponse } from "../../client/transport/portal-schema.gen.ts";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { ErrorNotice } from "../components/notice.tsx";
import { formatMs, indentedJson } from "../lib/format.ts";
import { CodeBlock } from "./code-block.tsx";

export interface TriedRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body?: string | File;
}

interface TryFormProps {
  operation: OperationPage;
  /** The fields for the key or token. */
  authentication: ReactNode;
  note: string;
  /** Whether a file can be sent as the body. */
  takesFiles?: boolean;
  send(request: TriedRequest): Promise<PortalTryResponse>;
}

/** Sends the operation with values of the visitor's choice. */
export function TryForm({ operation, authentication, note, takesFiles = false, send }: TryFormProps) {
  const tried = operation.parameters.filter(
    (each) => each.in === "path" || each.in === "query" || each.in === "header",
  );
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(
      tried
        .filter(({ isRequired }) => isRequired)
        .map((each) => [keyOf(each), each.example ?? choicesOf(each)?.[0] ?? ""]),
    ),
  );
  const content =
    operation.body?.contents.find(({ mediaType }) => /[/+]json\b/.test(mediaType)) ?? operation.body?.contents[0];
  const mediaType = content?.mediaType ?? "application/json";
  const [body, setBody] = useState<string | File>(content?.example ?? "");
  const sending = useMutation({ mutationFn: () => send(requestOf(operation, values, { body, mediaType })) });
  return (
    <form
      className="try-it"
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate();
      }}
    >
      <h2>Try it</h2>
      {authentication}
      {tried.map((parameter) => (
        <ParameterField
          key={keyOf(parameter)}
          parameter={parameter}
          value={values[keyOf(parameter)] ?? ""}
          onChange={(value) => setValues({ ...values, [keyOf(parameter)]: value })}
        />
      ))}
      {operation.body && (
        <Field label="Body" isRequired={operation.body.isRequired} hint={mediaType}>
          {(ids) =>
            takesFiles && isBinary(mediaType) ? (
              <input {...ids} type="file" onChange={(event) => setBody(event.target.files?.[0] ?? "")} />
            ) : (
              <textarea
                {...ids}
                className="input mono"
                spellCheck={false}
                rows={Math.min(20, Math.max(4, String(content?.example ?? "").split("\n").length))}
                value={typeof body === "string" ? body : ""}
                onChange={(event) => setBody(event.target.value)}
              />
            )
          }
        </Field>
      )}
      <Button kind="primary" type="submit" isBusy={sending.isPending}>
        <Play size={14} aria-hidden />
        Send request
      </Button>
      <p className="small muted">{note}</p>
      {sending.error && <ErrorNotice error={sending.error} />}
      {sending.data && <Result result={sending.data} />}
    </form>
  );
}

type Parameter = OperationPage["parameters"][number];

const keyOf = ({ in: place, name }: Parameter): string => `${place} ${name}`;

/** The only values of a parameter, if it has few. */
function choicesOf({ schema }: Parameter): string[] | undefined {
  if (schema.values) return schema.values.map(textOf);
  return schema.type === "boolean" ? ["true", "false"] : undefined;
}

/** Values are described as JSON, and sent as text. */
function textOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? value : json;
}

interface ParameterFieldProps {
  parameter: Parameter;
  value: string;
  onChange(value: string): void;
}

function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { name, isRequired, example } = parameter;
  const choices = choicesOf(parameter);
  return (
    <Field label={name} isRequired={isRequired}>
      {(ids) =>
        choices ? (
          <select
            {...ids}
            className="input"
            required={isRequired}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          >
            {!isRequired && <option value="">Not sent</option>}
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...ids}
            type="text"
            className="input"
            autoComplete="off"
            spellCheck={false}
            required={isRequired}
            placeholder={isRequired ? undefined : example}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  );
}

export function isBinary(mediaType: string): boolean {
  return !/^text\/|[/+](json|xml|yaml|x-www-form-urlencoded|x-ndjson|event-stream)\b/i.test(mediaType);
}

function requestOf(
  { method, path, parameters, body: described }: OperationPage,
  values: Record<string, string>,
  { body, mediaType }: { body: string | File; mediaType: string },
): TriedRequest {
  const inputOf = (place: string, name: string) => values[`${place} ${name}`] ?? "";
  const filled = path.replaceAll(/\{([^}+]+)(\+?)\}/g, (_, name: string, rest: string) => {
    const value = inputOf("path", name);
    return rest === "" ? encodeURIComponent(value) : value.split("/").map(encodeURIComponent).join("/");
  });
  const given = (place: string) => parameters.filter((each) => each.in === place && inputOf(place, each.name) !== "");
  const query = given("query")
    .map(({ name }) => `${encodeURIComponent(name)}=${encodeURIComponent(inputOf("query", name))}`)
    .join("&");
  const headers = Object.fromEntries(given("header").map(({ name }) => [name, inputOf("header", name)]));
  const hasBody = described !== undefined && body !== "" && method !== "GET" && method !== "HEAD";
  return {
    method,
    path: query === "" ? filled : `${filled}?${query}`,
    headers: { ...headers, ...(hasBody && { "content-type": mediaType }) },
    ...(hasBody && { body }),
  };
}

/** What came back: status, time, why it was rejected, headers and body. All of it is text. */
function Result({ result }: { result: PortalTryResponse }) {
  const { status, durationMs, headers, body, bodyEncoding, isTruncated } = result;
  const reason = status >= 400 ? reasonIn(body) : undefined;
  const text = bodyEncoding === "base64" ? "(binary)" : indentedJson(body);
  return (
    <div className="try-result" role="status">
      <p>
        <span className={`status status-${String(status).charAt(0)}`}>{status}</span>{" "}
        <span className="muted">after {formatMs(durationMs)}</span>
      </p>
      {reason && <p className="try-reason">{reason}</p>}
      <details>
        <summary>{headers.length} headers</summary>
        <ul className="try-headers">
          {headers.map(({ name, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header may be repeated.
            <li key={index} className="mono wrap-anywhere">
              {name}: {value}
            </li>
          ))}
        </ul>
      </details>
      {text !== "" && <CodeBlock text={text} label={isTruncated ? "Body, cut" : "Body"} />}
    </div>
  );
}

/** The detail of a problem (RFC 9457). */
function reasonIn(body: string): string | undefined {
  try {
    const { detail, title } = JSON.parse(body) as { detail?: unknown; title?: unknown };
    return typeof detail === "string" ? detail : typeof title === "string" ? title : undefined;
  } catch {
    return undefined;
  }
}
