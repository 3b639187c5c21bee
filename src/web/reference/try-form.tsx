import { useMutation } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { OperationPage, PortalTryResponse } from "../../client/portal/schema.gen.ts";
import { Button } from "../components/button.tsx";
import { Field, TextArea, TextField } from "../components/field.tsx";
import { ErrorNotice } from "../components/notice.tsx";
import { formatMs } from "../lib/format.ts";
import { CodeBlock } from "./code-block.tsx";
import { colored } from "./sample-colors.tsx";

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
      tried.filter(({ isRequired }) => isRequired).map((each) => [`${each.in} ${each.name}`, each.example ?? ""]),
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
      {tried.map(({ name, in: place, isRequired }) => (
        <TextField
          key={`${place} ${name}`}
          label={name}
          isOptional={!isRequired}
          required={isRequired}
          value={values[`${place} ${name}`] ?? ""}
          onChange={(event) => setValues({ ...values, [`${place} ${name}`]: event.target.value })}
        />
      ))}
      {operation.body &&
        (takesFiles && isBinary(mediaType) ? (
          <Field label="Body" hint={mediaType}>
            {(ids) => <input {...ids} type="file" onChange={(event) => setBody(event.target.files?.[0] ?? "")} />}
          </Field>
        ) : (
          <TextArea
            label="Body"
            rows={8}
            value={typeof body === "string" ? body : ""}
            onChange={(event) => setBody(event.target.value)}
          />
        ))}
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
  const text = bodyEncoding === "base64" ? "(binary)" : pretty(body);
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
      {text !== "" && (
        <CodeBlock text={text} label={isTruncated ? "Body, cut" : "Body"}>
          {text.length > 20_000 ? text : colored(text)}
        </CodeBlock>
      )}
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

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
