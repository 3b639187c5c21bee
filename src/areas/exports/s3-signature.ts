import { createHash, createHmac } from "node:crypto";
import type { ExportCredential } from "./exports.ts";

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
