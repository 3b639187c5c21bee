import { useMutation, useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import type {
  OperationPage,
  PortalSession,
  PortalTry,
  PortalTryResponse,
  PublishedApi,
} from "../../../client/portal/schema.gen.ts";
import { Button } from "../../components/button.tsx";
import { SelectField, TextArea, TextField } from "../../components/field.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { formatMs } from "../../lib/format.ts";
import { call } from "../queries/api.ts";
import { CodeBlock } from "./code-block.tsx";
import { colored } from "./sample-colors.tsx";

interface TryItProps {
  operation: OperationPage;
  api: PublishedApi;
  session: PortalSession | null;
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Sends the operation with values of the visitor's choice, as one of their keys. */
export function TryIt({ operation, api, session }: TryItProps) {
  const [isOpen, setOpen] = useState(false);
  if (!session?.scopes.includes("keys:write") || !methods.includes(operation.method)) return null;
  if (!isOpen)
    return (
      <Button kind="primary" onClick={() => setOpen(true)}>
        <Play size={14} aria-hidden />
        Try it
      </Button>
    );
  return <Form operation={operation} api={api} />;
}

function Form({ operation, api }: Omit<TryItProps, "session">) {
  const tried = operation.parameters.filter(
    (each) => each.in === "path" || each.in === "query" || each.in === "header",
  );
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(
      tried.filter(({ isRequired }) => isRequired).map((each) => [`${each.in} ${each.name}`, each.example ?? ""]),
    ),
  );
  const json =
    operation.body?.contents.find(({ mediaType }) => /[/+]json\b/.test(mediaType)) ?? operation.body?.contents[0];
  const [body, setBody] = useState(json?.example ?? "");
  const [keyId, setKeyId] = useState<string>();
  const keys = useQuery({ queryKey: ["keys"], queryFn: ({ signal }) => call("listPortalKeys", { signal }) });
  const usable = keys.data?.data.filter(({ isEnabled }) => isEnabled) ?? [];
  const chosen = keyId ?? usable[0]?.id ?? "";
  const send = useMutation({
    mutationFn: () =>
      call("tryPortalOperation", {
        body: requestOf(operation, api, values, {
          keyId: chosen,
          body,
          mediaType: json?.mediaType ?? "application/json",
        }),
      }),
  });
  return (
    <form
      className="try-it"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <h2>Try it</h2>
      {operation.keyHeader &&
        (usable.length === 0 ? (
          <p className="small muted">You have no key that works. Create one under Keys first.</p>
        ) : (
          <SelectField
            label="Key"
            value={chosen}
            onChange={(event) => setKeyId(event.target.value)}
            options={usable.map(({ id, description, key }) => ({
              value: id,
              label: description ? `${description} (${key})` : key,
            }))}
          />
        ))}
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
      {operation.body && (
        <TextArea label="Body" rows={8} value={body} onChange={(event) => setBody(event.target.value)} />
      )}
      <Button kind="primary" type="submit" isBusy={send.isPending}>
        <Play size={14} aria-hidden />
        Send request
      </Button>
      <p className="small muted">The request is real: it counts against your plan.</p>
      {send.error && <ErrorNotice error={send.error} />}
      {send.data && <Result result={send.data} />}
    </form>
  );
}

function requestOf(
  { method, path, parameters, body: described, keyHeader }: OperationPage,
  { deployment }: PublishedApi,
  values: Record<string, string>,
  { keyId, body, mediaType }: { keyId: string; body: string; mediaType: string },
): PortalTry {
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
    deployment,
    method: method as PortalTry["method"],
    path: query === "" ? filled : `${filled}?${query}`,
    headers: { ...headers, ...(hasBody && { "content-type": mediaType }) },
    ...(hasBody && { body }),
    ...(keyHeader && keyId !== "" && { keyId }),
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
