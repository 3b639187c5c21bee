import type { Connection } from "../transport/connection.ts";
import { rejection, TollgateError } from "../transport/errors.ts";
import type { RequestOptions } from "../transport/options.ts";

/** A packed project: a gzip tar. */
export type Archive = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface UploadProgress {
  sentBytes: number;
  /** Undefined if the archive is a stream. */
  totalBytes: number | undefined;
}

export interface UploadOptions extends RequestOptions {
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Enough for 50 MiB, the maximum size, over a slow connection. */
const defaultTimeoutMs = 10 * 60 * 1000;

/** Sends an archive once: the upload URL is valid for one request, and errors are in the status of the deployment. */
export async function upload(
  connection: Connection,
  url: string,
  archive: Archive,
  options: UploadOptions,
): Promise<void> {
  const { onProgress, signal, timeoutMs = defaultTimeoutMs } = options;
  const source = archive instanceof Uint8Array ? new Blob([archive]) : archive;
  if (onProgress && source instanceof Blob && browserRequest) {
    await uploadFromBrowser(new browserRequest(), url, source, { onProgress, signal, timeoutMs });
    return;
  }
  const body = onProgress ? counted(source, onProgress) : source;
  const request = { method: "PUT", url, headers: { "content-type": "application/gzip" }, body, isRepeatable: false };
  await connection.attempt({ ...request, options: { signal, timeoutMs } }, async (response) => {
    if (!response.ok) throw rejection(response, await response.text());
    await response.body?.cancel();
  });
}

function counted(
  source: Blob | ReadableStream<Uint8Array>,
  onProgress: (progress: UploadProgress) => void,
): ReadableStream<Uint8Array> {
  const totalBytes = source instanceof Blob ? source.size : undefined;
  let sentBytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      sentBytes += chunk.byteLength;
      onProgress({ sentBytes, totalBytes });
    },
  });
  const stream: ReadableStream<Uint8Array> = source instanceof Blob ? source.stream() : source;
  return stream.pipeThrough(counter);
}

/** The used part of XMLHttpRequest: browsers report the progress of an upload only there. */
interface BrowserRequest {
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
  timeout: number;
  readonly status: number;
  readonly statusText: string;
  readonly responseText: string;
  onload: () => void;
  onerror: () => void;
  onabort: () => void;
  ontimeout: () => void;
  readonly upload: { onprogress: (event: { loaded: number }) => void };
}

const browserRequest = (globalThis as unknown as { XMLHttpRequest?: new () => BrowserRequest }).XMLHttpRequest;

function uploadFromBrowser(
  request: BrowserRequest,
  url: string,
  archive: Blob,
  { onProgress, signal, timeoutMs }: Required<Pick<UploadOptions, "onProgress">> & UploadOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    const fail = (code: string, detail: string) => reject(new TollgateError({ status: 0, code, detail }));
    request.upload.onprogress = ({ loaded }) => onProgress?.({ sentBytes: loaded, totalBytes: archive.size });
    request.onabort = () => reject(signal?.reason);
    request.onerror = () => fail("network", "The connection broke while the archive was sent.");
    request.ontimeout = () => fail("timeout", `The archive was not taken within ${timeoutMs} ms.`);
    request.onload = () => {
      const { status, statusText, responseText } = request;
      if (status >= 200 && status < 300) resolve();
      else reject(rejection(new Response(null, { status, statusText }), responseText));
    };
    request.open("PUT", url);
    request.setRequestHeader("content-type", "application/gzip");
    request.timeout = timeoutMs ?? 0;
    request.send(archive);
  });
}
