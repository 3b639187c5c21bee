import { useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import { TollgateError } from "../../client/index.ts";
import type { DocumentationPage, OperationPage, PortalTryResponse } from "../../client/transport/portal-schema.gen.ts";
import { Button } from "../components/button.tsx";
import { TextField } from "../components/field.tsx";
import { NotLoaded } from "../components/notice.tsx";
import { ThemeButton } from "../components/theme-button.tsx";
import { Toasts } from "../components/toast.tsx";
import { withConnection } from "../lib/connection.ts";
import { usePath } from "../lib/router.tsx";
import { Reference } from "../reference/reference.tsx";
import type { ReferenceApi } from "../reference/reference-api.ts";
import { isBinary, type TriedRequest, TryForm } from "../reference/try-form.tsx";
import { Frame } from "./frame.tsx";

const docsPath = "/docs";
/** Static files have no server that could be called. */
const isExport = "export" in document.documentElement.dataset;
const serverUrl = isExport ? "http://127.0.0.1:8787" : window.location.origin;

/** The pages of the management API's reference. The build has written them. */
function useNavigation() {
  return useQuery({
    queryKey: ["navigation"],
    queryFn: ({ signal }) =>
      load<Pick<ReferenceApi, "title" | "version" | "guides" | "reference">>("navigation", signal),
  });
}

function usePage(page: string) {
  return useQuery({
    queryKey: ["page", page],
    queryFn: ({ signal }) => load<DocumentationPage>(page === "" ? "index" : page, signal),
  });
}

const watchedFetch = withConnection((address: string, init) => fetch(address, init));

async function load<Content>(name: string, signal: AbortSignal): Promise<Content> {
  let response: Response;
  try {
    response = await watchedFetch(`${docsPath}/pages/${name}.json`, { signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new TollgateError({ status: 0, code: "network", detail: "The server cannot be reached.", cause });
  }
  if (!response.ok)
    throw new TollgateError({
      status: response.status,
      code: "unexpected_answer",
      detail: "The page cannot be loaded.",
    });
  return (await response.json()) as Content;
}

/** What the search finds beyond the pages of the reference, loaded when the reader begins to search. */
function useSearchIndex(isSearching: boolean) {
  return useQuery({
    queryKey: ["search"],
    queryFn: ({ signal }) => load<ReferenceApi[]>("search", signal),
    enabled: isSearching,
  });
}

/** The reference of the management API. */
export function App() {
  const navigation = useNavigation();
  return (
    <>
      <Frame version={navigation.data?.version} themeButton={<ThemeButton />}>
        {navigation.error || !navigation.data ? (
          <NotLoaded of={navigation} />
        ) : (
          <Page api={{ ...navigation.data, base: docsPath, url: serverUrl, key: "YOUR_TOKEN" }} />
        )}
      </Frame>
      <Toasts />
    </>
  );
}

function Page({ api }: { api: ReferenceApi }) {
  const page = usePath()
    .slice(docsPath.length + 1)
    .replace(/\/$/, "");
  const loaded = usePage(page);
  // Kept while the reader goes from page to page, and never stored.
  const [token, setToken] = useState("");
  const [isTrying, setTrying] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const index = useSearchIndex(isSearching);
  const guides = { ...api, title: "Guides", base: `${docsPath}/guides`, guides: [], reference: [] };
  return (
    <Reference
      apis={[guides, { ...api, title: "Reference" }]}
      api={api}
      index={index.data}
      onSearch={() => setSearching(true)}
      page={page}
      loaded={loaded}
      siteTitle="Tollgate reference"
      tryIt={(operation) =>
        isExport ? null : isTrying ? (
          <TryIt operation={operation} token={token} onToken={setToken} />
        ) : (
          <Button kind="primary" onClick={() => setTrying(true)}>
            <Play size={14} aria-hidden />
            Try it
          </Button>
        )
      }
    />
  );
}

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
