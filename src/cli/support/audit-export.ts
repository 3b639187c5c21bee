import { createPublicKey, verify } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { AuditEntry, AuditVerification } from "../../client/index.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { headText, linkHash } from "../../lib/hash-chain.ts";
import { UsageError } from "./usage-error.ts";

type Head = NonNullable<AuditVerification["head"]>;
type Broken = NonNullable<AuditVerification["firstBroken"]>;

export interface VerifyOptions {
  /** A head noted before. */
  noted?: { count: number; hash: string } | undefined;
  /** The installation's public keys, as JSON Web Keys. */
  keys?: { kid: string; kty: string; crv: string; x: string }[] | undefined;
}

/** What is kept of an entry: a log may be larger than memory. */
interface Link {
  number: number;
  id: string;
  previousHash: string;
  hash: string;
  isWhole: boolean;
}

/** Verifies what `tollgate audit export` or `application/jsonl` gave: each entry against its hash, each hash against the one before. */
export async function verifyExport(file: string, { noted, keys }: VerifyOptions): Promise<AuditVerification> {
  const { head, links, unsealed } = await readExport(file);
  const heads = [head, noted].filter((each) => each !== undefined);
  let firstBroken = brokenLink(links) ?? brokenHead(links, heads);
  if (!firstBroken && head && keys && !isSigned(head, keys))
    firstBroken = { number: head.count, detail: "is the head, and none of the keys has signed it" };
  return {
    intact: firstBroken === undefined,
    entries: links.length,
    unsealed,
    ...(head ? { head } : {}),
    ...(firstBroken ? { firstBroken } : {}),
  };
}

async function readExport(file: string) {
  const links: Link[] = [];
  let head: Head | undefined;
  let unsealed = 0;
  let lineNumber = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    lineNumber += 1;
    if (line === "") continue;
    const value = parsed(line, file, lineNumber);
    if (value.head) head = value.head;
    else if (value.seal) links.push(linkOf(value as AuditEntry));
    else unsealed += 1;
  }
  return { head, unsealed, links: links.sort((one, other) => one.number - other.number) };
}

function parsed(line: string, file: string, lineNumber: number): Partial<AuditEntry> & { head?: Head } {
  try {
    const value = JSON.parse(line);
    if (typeof value === "object" && value !== null && ("head" in value || "id" in value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${file} is not an exported audit log: line ${lineNumber} is no entry.`);
}

function linkOf({ isSealed: _, seal, ...entry }: AuditEntry): Link {
  const { number, previousHash, hash } = seal!;
  const isWhole = linkHash(previousHash, number, canonicalJson(entry)) === hash;
  return { number, id: entry.id, previousHash, hash, isWhole };
}

function brokenLink(links: Link[]): Broken | undefined {
  let previous: Link | undefined;
  for (const link of links) {
    if (previous && link.number > previous.number + 1) return { number: previous.number + 1, detail: "is missing" };
    const { number, id } = link;
    if (!link.isWhole || (previous && (number === previous.number || link.previousHash !== previous.hash)))
      return { number, id, detail: "was changed after it was sealed" };
    previous = link;
  }
  return undefined;
}

function brokenHead(links: Link[], heads: { count: number; hash: string }[]): Broken | undefined {
  const last = links.at(-1)?.number ?? 0;
  const byNumber = new Map(links.map((link) => [link.number, link]));
  for (const { count, hash } of heads) {
    // One that lies before the first entry proves nothing of what is left.
    if (count > last && count > 0) return { number: last + 1, detail: "is missing" };
    const link = byNumber.get(count);
    if (link && link.hash !== hash) return { number: count, id: link.id, detail: "does not match the head" };
  }
  return undefined;
}

function isSigned(head: Head, keys: NonNullable<VerifyOptions["keys"]>): boolean {
  const jwk = keys.find(({ kid }) => kid === head.keyId);
  if (!jwk) return false;
  const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: "jwk" });
  return verify(null, Buffer.from(headText(head)), key, Buffer.from(head.signature, "base64url"));
}
