import { TollgateError } from "../../client/index.ts";
import type { OperationPage, PortalTryResponse } from "../../client/transport/portal-schema.gen.ts";
import { TextField } from "../components/field.tsx";
import { isBinary, type TriedRequest, TryForm } from "../reference/try-form.tsx";

interface TryItProps {
  operation: OperationPage;
  token: string;
  onToken(token: string): void;
}

/** Sends the operation to this server with a token. */
export function TryIt({ operation, token, onToken }: TryItProps) {
  return (
    <TryForm
      operation={operation}
      note="The request is real: it reads or changes data of this server."
      takesFiles
      send={(request) => send(request, token.trim())}
      authentication={
        operation.keyHeader && (
          <TextField
            label="Token"
            type="password"
            autoComplete="off"
            value={token}
            onChange={(event) => onToken(event.target.value)}
            hint={
              <>
                Without <code>Bearer</code>. The admin token was printed at the first start and is in the file{" "}
                <code>admin-token</code> of the data directory (<code>./data</code> by default);{" "}
                <code>tollgate tokens create</code> creates more. This page forgets it when it is left.
              </>
            }
          />
        )
      }
    />
  );
}

/** Longer bodies, and streams that do not end, are cut. */
const maxBytes = 1024 * 1024;
const maxMs = 30_000;

async function send({ method, path, headers, body }: TriedRequest, token: string): Promise<PortalTryResponse> {
  const began = performance.now();
  try {
    const response = await fetch(path, {
      method,
      headers: { ...headers, ...(token !== "" && { authorization: `Bearer ${token}` }) },
      // A session of the console would hide what the token may not do.
      ...(token !== "" && { credentials: "omit" }),
      ...(body !== undefined && { body }),
      cache: "no-store",
      redirect: "manual",
    });
    const { bytes, isTruncated } = await beginningOf(response);
    const isText = !isBinary(response.headers.get("content-type") ?? "text/plain");
    return {
      status: response.status,
      durationMs: Math.round(performance.now() - began),
      headers: [...response.headers].map(([name, value]) => ({ name, value })),
      body: isText ? new TextDecoder().decode(bytes) : "",
      bodyEncoding: isText || bytes.length === 0 ? "utf-8" : "base64",
      isTruncated,
      requestId: response.headers.get("x-request-id") ?? "",
    };
  } catch (cause) {
    // A header value that HTTP does not allow is a TypeError too.
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new TollgateError({ status: 0, code: "not_sent", detail: `The request could not be sent: ${detail}`, cause });
  }
}

async function beginningOf({ body }: Response): Promise<{ bytes: Uint8Array<ArrayBuffer>; isTruncated: boolean }> {
  const reader = body?.getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let isTruncated = false;
  const timeout = setTimeout(() => {
    isTruncated = true;
    void reader?.cancel();
  }, maxMs);
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    pieces.push(next.value);
    length += next.value.length;
    if (length < maxBytes) continue;
    isTruncated = true;
    await reader?.cancel();
  }
  clearTimeout(timeout);
  return { bytes: new Uint8Array(await new Blob(pieces).arrayBuffer()), isTruncated };
}
