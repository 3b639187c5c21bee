import { createHash, createHmac } from "node:crypto";
import { fetchErrorText } from "../../../lib/network/fetch-error.ts";
import { systemClock } from "../../../lib/time/clock.ts";
import { type Egress, EgressDenied } from "../../../platform/egress/egress.ts";
import { type Fetched, fetchBytes } from "../../../platform/egress/fetch-bytes.ts";
import type { ExportCredential } from "./exports.ts";
import type { PutObject } from "./put-object.ts";
import type { ExportRow } from "./store.ts";

/** Less than the lease of an export: a part that takes longer fails before another node writes the hour. */
const timeoutSeconds = 120;
/** At least 5 MiB, and the same for all parts but the last one: some storage requires that. */
const partBytes = 8 * 1024 * 1024;
const shownErrorLength = 300;

interface S3Request {
  method: "PUT" | "POST" | "DELETE";
  path: string;
  query?: Record<string, string | number>;
  body?: Uint8Array;
}

/** Puts a small object with one request, and a larger one in parts. */
export function s3Destination(
  { url, endpoint, region }: ExportRow,
  credential: ExportCredential,
  egress: Egress,
): PutObject {
  const [bucket = "", ...prefix] = url.slice("s3://".length).split("/").filter(Boolean);
  const usedRegion = region ?? "us-east-1";
  const base = (endpoint ?? `https://s3.${usedRegion}.amazonaws.com`).replace(/\/$/, "");
  const send = async ({ method, path, query = {}, body = new Uint8Array() }: S3Request): Promise<Fetched> => {
    const key = [bucket, ...prefix, path].join("/").split("/").map(encoded).join("/");
    // The signature requires sorted parameters.
    const pairs = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`);
    const address = new URL(`${base}/${key}${pairs.length > 0 ? `?${pairs.toSorted().join("&")}` : ""}`);
    // S3 compares the time of the signature with its clock.
    const time = new Date(systemClock.now());
    const headers = signedHeaders({ method, address, bytes: body, credential, region: usedRegion, time });
    const options = { method, headers, body, timeoutSeconds };
    const response = await fetchBytes(egress, address.href, options).catch((error: unknown) => {
      if (error instanceof EgressDenied) throw error;
      throw new Error(`the storage at ${base} cannot be reached: ${fetchErrorText(error)}`);
    });
    if (response.status >= 200 && response.status < 300) return response;
    throw new Error(`the storage responded with ${response.status}: ${shownText(response)}`);
  };
  return async (path, pieces) => {
    let uploadId: string | undefined;
    const tags: string[] = [];
    try {
      for await (const { bytes: body, isLast } of joinIntoParts(pieces)) {
        if (isLast && uploadId === undefined) {
          await send({ method: "PUT", path, body });
          return;
        }
        uploadId ??= uploadIdOf(await send({ method: "POST", path, query: { uploads: "" } }));
        const query = { partNumber: tags.length + 1, uploadId };
        const { headers } = await send({ method: "PUT", path, query, body });
        tags.push(headers.get("etag") ?? "");
      }
      const completed = await send({ method: "POST", path, query: { uploadId: uploadId! }, body: listOf(tags) });
      // S3 sends the status 200 before it has joined the parts, so the body must be checked.
      if (!Buffer.from(completed.bytes).includes("<CompleteMultipartUploadResult"))
        throw new Error(`the storage did not join the parts: ${shownText(completed)}`);
    } catch (error) {
      // Incomplete uploads are invisible but billed. Errors are ignored: the credential may lack the permission.
      if (uploadId !== undefined) await send({ method: "DELETE", path, query: { uploadId } }).catch(() => {});
      throw error;
    }
  };
}

/** Pieces joined to parts of the same size. There is always a last one, which may be shorter or empty. */
async function* joinIntoParts(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ bytes: Uint8Array; isLast: boolean }> {
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    let rest = piece;
    while (size + rest.length > partBytes) {
      const taken = partBytes - size;
      yield { bytes: Buffer.concat([...pending, rest.subarray(0, taken)]), isLast: false };
      [pending, size, rest] = [[], 0, rest.subarray(taken)];
    }
    pending.push(rest);
    size += rest.length;
  }
  yield { bytes: Buffer.concat(pending), isLast: true };
}

function uploadIdOf(response: Fetched): string {
  const id = /<UploadId>([^<]+)<\/UploadId>/.exec(Buffer.from(response.bytes).toString())?.[1];
  if (id === undefined) throw new Error(`the storage began no upload of parts: ${shownText(response)}`);
  return id.replaceAll("&amp;", "&");
}

function listOf(tags: string[]): Uint8Array {
  const parts = tags.map(
    (tag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</ETag></Part>`,
  );
  return Buffer.from(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join("")}</CompleteMultipartUpload>`,
  );
}

function shownText({ bytes }: Fetched): string {
  return Buffer.from(bytes).toString().replace(/\s+/g, " ").trim().slice(0, shownErrorLength) || "an empty body";
}

interface SignedRequest {
  method: string;
  /** The encoded path. */
  path: string;
  /** The encoded query, sorted by name. */
  query?: string;
  /** The headers to sign, sorted by name, in lower case. */
  headers: readonly (readonly [name: string, value: string])[];
  /** The hash of the body. */
  content: string;
  credential: ExportCredential;
  region: string;
  /** As in `x-amz-date`, such as 20130524T000000Z. */
  stamp: string;
}

/** The Authorization header of AWS Signature Version 4 for S3. */
export function s3Authorization({
  method,
  path,
  query = "",
  headers,
  content,
  credential,
  region,
  stamp,
}: SignedRequest): string {
  const names = headers.map(([name]) => name).join(";");
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join("");
  const request = [method, path, query, lines, names, content].join("\n");
  const scope = `${stamp.slice(0, 8)}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", stamp, scope, sha256(request)].join("\n");
  const key = scope.split("/").reduce(hmac, Buffer.from(`AWS4${credential.secretAccessKey}`));
  const signature = hmac(key, text).toString("hex");
  return `AWS4-HMAC-SHA256 Credential=${credential.accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`;
}

interface SignedBody extends Pick<SignedRequest, "method" | "credential" | "region"> {
  /** Its query is sorted by name. */
  address: URL;
  bytes: Uint8Array;
  time: Date;
}

/** The headers of a request, without the host, which the client sends itself. */
export function signedHeaders({ method, address, bytes, credential, region, time }: SignedBody): [string, string][] {
  const stamp = time.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const content = sha256(bytes);
  const { sessionToken } = credential;
  const added: [string, string][] = [
    ["x-amz-content-sha256", content],
    ["x-amz-date", stamp],
    ...(sessionToken === undefined ? [] : [["x-amz-security-token", sessionToken] as [string, string]]),
  ];
  const headers = [["host", address.host] as const, ...added];
  const signed = {
    method,
    path: address.pathname,
    query: address.search.slice(1),
    headers,
    content,
    credential,
    region,
    stamp,
  };
  return [...added, ["authorization", s3Authorization(signed)], ["content-type", "application/octet-stream"]];
}

/** Encodes a part of a path or query as the signature requires. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
