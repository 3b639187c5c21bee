import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { once } from "node:events";
import { createReadStream, type ReadStream, readFileSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
import type { AuditEntry, AuditVerification } from "../../client/index.ts";
import { changedLink, headText, linkHash, missingEntry } from "../../lib/crypto/hash-chain.ts";
import { unpackLines } from "../../lib/text/packed-lines.ts";
import { UsageError } from "../process/usage-error.ts";

type Head = NonNullable<AuditVerification["head"]>;
type Broken = NonNullable<AuditVerification["firstBroken"]>;

interface VerifyOptions {
  /** A head that was recorded earlier. */
  noted?: { count: number; hash: string } | undefined;
  keys?: PublicKey[] | undefined;
}

/** One of the installation's public keys, as a JSON Web Key. */
interface PublicKey {
  kid: string;
  kty: string;
  crv: string;
  x: string;
}

/**
 * Verifies the output of `tollgate audit export` or of `application/jsonl`: each entry against its hash, and each hash
 * against the previous one.
 */
export async function verifyExport(file: string, { noted, keys }: VerifyOptions): Promise<AuditVerification> {
  const { heads, links, entries, unsealed } = await readExport(file);
  const head = heads[0];
  if (keys && !head)
    throw new UsageError(`${file} has no signed head, which --key verifies; \`tollgate audit export\` writes one.`);
  const firstBroken =
    foreignHead(heads) ??
    brokenStart(links, heads) ??
    brokenLink(links) ??
    brokenHead(links, [...heads.slice(0, 1), ...(noted ? [noted] : [])]) ??
    (keys && unsignedHead(heads, keys));
  return {
    intact: firstBroken === undefined,
    entries,
    unsealed,
    ...(head ? { head } : {}),
    ...(firstBroken ? { firstBroken } : {}),
  };
}

/** The problem as a sentence, with the id of the entry or of the one before it. */
export function describeBroken({ number, id, previousId, detail }: Broken): string {
  const own = id === undefined ? "" : ` (${id})`;
  return `entry ${number}${own} ${detail}${previousId === undefined ? "" : `, after ${previousId}`}`;
}

/** Reads the file of public keys that the server publishes at /.well-known/tollgate-audit-key. */
export function readPublicKeys(file: string): PublicKey[] {
  try {
    const { keys } = JSON.parse(readFileSync(file, "utf8")) as { keys: PublicKey[] };
    for (const key of keys) publicKeyOf(key);
    if (keys.length > 0) return keys;
  } catch (error) {
    if (isMissing(error)) throw new UsageError(`There is no file ${file}.`);
  }
  throw new UsageError(`${file} contains no public keys: save the server's /.well-known/tollgate-audit-key.`);
}

async function readExport(file: string) {
  const links = new ExportedLinks();
  const heads: Head[] = [];
  let entries = 0;
  let unsealed = 0;
  let lineNumber = 0;
  for await (const line of createInterface({ input: await opened(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    lineNumber += 1;
    if (line === "") continue;
    const value = parsed(line, file, lineNumber);
    if (value.head) heads.push(value.head);
    else if (value.seal) {
      links.add(value as AuditEntry);
      entries += 1;
    } else unsealed += 1;
  }
  if (heads.length + entries + unsealed === 0)
    throw new UsageError(`${file} is empty: it is not an exported audit log.`);
  return { heads, entries, unsealed, links: links.inOrder() };
}

async function opened(file: string): Promise<ReadStream> {
  // Opening a folder succeeds; reading from it fails.
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${file} is a folder.`);
  const stream = createReadStream(file);
  try {
    await once(stream, "open");
    return stream;
  } catch (error) {
    throw isMissing(error) ? new UsageError(`There is no file ${file}.`) : error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as { code?: string }).code === "ENOENT";
}

function parsed(line: string, file: string, lineNumber: number): Partial<AuditEntry> & { head?: Head } {
  try {
    const value = JSON.parse(line);
    if ("head" in value ? isHead(value.head) : isEntry(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${file} is not an exported audit log: line ${lineNumber} is not an entry.`);
}

/** A head with missing fields would be compared with nothing and pass. */
function isHead({ count, account, hash, time, keyId, signature }: Head): boolean {
  return Number.isSafeInteger(count) && areTexts(account, hash, time, keyId, signature);
}

function isEntry(entry: AuditEntry): boolean {
  if (entry.seal === undefined) return areTexts(entry.id);
  const { number, first, last, previousHash, hash } = sealOf(entry);
  const isPlaced = [number, first, last].every(Number.isSafeInteger) && first <= number && number <= last;
  return isPlaced && areTexts(entry.id, previousHash, hash);
}

function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}

/** A head of another account has a valid signature but does not apply to this log. */
function foreignHead(heads: Head[]): Broken | undefined {
  const foreign = heads.find(({ account }) => account !== heads[0]!.account);
  return foreign && { number: foreign.count, detail: "has a head of another account" };
}

/**
 * An export begins where its head says that the log begins. Entries may be trimmed after the first head was signed; the
 * export then ends with a second head.
 */
function brokenStart([first]: AuditLink[], heads: Head[]): Broken | undefined {
  const head = heads.at(-1);
  const start = (head?.trimmed ?? 0) + 1;
  return head && first && first.first > start ? missingEntry(start) : undefined;
}

function brokenLink(links: AuditLink[]): Broken | undefined {
  let previous: AuditLink | undefined;
  for (const link of links) {
    const { first, last, id, missing, changed } = link;
    if (previous && first > previous.last + 1) return missingEntry(previous.last + 1, { previousId: previous.id });
    if (missing)
      return missingEntry(missing.number, { id: missing.id, previousId: missing.previousId ?? previous?.id });
    if (changed) return changedLink(changed.first, changed.last, changed.id);
    const follows = !previous || (first > previous.last && link.previousHash === previous.hash);
    if (!follows) return changedLink(first, last, id);
    previous = link;
  }
  return undefined;
}

function brokenHead(links: AuditLink[], heads: { count: number; hash: string }[]): Broken | undefined {
  const end = links.at(-1)?.last ?? 0;
  for (const { count, hash } of heads) {
    // A head before the first entry does not prove anything about the remaining entries.
    if (count > end && count > 0) return missingEntry(end + 1, { previousId: links.at(-1)?.id });
    const link = links.find(({ first, last }) => first <= count && count <= last);
    if (!link || (link.last === count && link.hash === hash)) continue;
    return { number: count, ...(link.last === count ? { id: link.id } : {}), detail: "does not match the head" };
  }
  return undefined;
}

function unsignedHead(heads: Head[], keys: PublicKey[]): Broken | undefined {
  const head = heads.find((each) => !isSigned(each, keys));
  return head && { number: head.count, detail: "is the head, which none of the keys has signed" };
}

function isSigned(head: Head, keys: PublicKey[]): boolean {
  const key = keys.find(({ kid }) => kid === head.keyId);
  if (!key) return false;
  return verify(null, Buffer.from(headText(head)), publicKeyOf(key), Buffer.from(head.signature, "base64url"));
}

function publicKeyOf({ kty, crv, x }: PublicKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: "jwk" });
}

type Seal = NonNullable<AuditEntry["seal"]>;

/** The state of the entries that share one hash. */
export interface AuditLink extends Pick<Seal, "first" | "last" | "previousHash" | "hash"> {
  /** The id of the last entry. */
  id: string;
  /** The first entry that is missing in the export. Its id is known if the pack is present. */
  missing?: { number: number; id?: string | undefined; previousId?: string | undefined };
  /** The first entry that differs from the sealed one. */
  changed?: { first: number; last: number; id: string };
}

/**
 * Reassembles the entries of an export as they were hashed. Entries of a complete link are dropped, because a log may
 * be larger than memory.
 */
export class ExportedLinks {
  readonly #complete: AuditLink[] = [];
  readonly #waiting = new Map<string, AuditEntry[]>();

  add(entry: AuditEntry): void {
    const { first, last, previousHash, hash } = sealOf(entry);
    const key = [first, last, previousHash, hash].join();
    const entries = this.#waiting.get(key) ?? [];
    entries.push(entry);
    if (entries.length < last - first + 1) this.#waiting.set(key, entries);
    else {
      this.#waiting.delete(key);
      this.#complete.push(linkOf(entries));
    }
  }

  /** In chain order. */
  inOrder(): AuditLink[] {
    const incomplete = [...this.#waiting.values()].map(linkOf);
    return [...this.#complete, ...incomplete].sort((one, other) => one.first - other.first);
  }
}

export function sealOf({ seal }: AuditEntry): Seal {
  return seal!;
}

function linkOf(read: AuditEntry[]): AuditLink {
  const entries = read.toSorted((one, other) => one.seal!.number - other.seal!.number);
  const { first, last, previousHash, hash } = sealOf(entries[0]!);
  const link = { first, last, previousHash, hash, id: entries.at(-1)!.id };
  const gap = entries.findIndex(({ seal }, index) => seal!.number !== first + index);
  if (entries.length <= last - first) {
    const index = gap < 0 ? entries.length : gap;
    const id = idOf(linesOfPack(entries[0]!)[index]);
    return { ...link, missing: { number: first + index, id, previousId: entries[index - 1]?.id } };
  }
  const changed = first === last ? changedAlone(entries[0]!) : changedInPack(entries);
  return changed ? { ...link, changed } : link;
}

function changedAlone(entry: AuditEntry): AuditLink["changed"] {
  const { number, previousHash, hash } = entry.seal!;
  const isWhole = linkHash(previousHash, number, JSON.stringify(unsealed(entry))) === hash;
  return isWhole ? undefined : { first: number, last: number, id: entry.id };
}

/** The hash covers the pack of several entries; each entry is then compared with its line of the pack. */
function changedInPack(entries: AuditEntry[]): AuditLink["changed"] {
  const { first, last } = entries[0]!.seal!;
  const lines = linesOfPack(entries[0]!);
  if (lines.length !== entries.length) return { first, last, id: entries[0]!.id };
  const at = entries.findIndex((entry, index) => JSON.stringify(unsealed(entry)) !== lines[index]);
  return at < 0 ? undefined : { first: first + at, last: first + at, id: entries[at]!.id };
}

/** The pack is in the first entry. Empty if it is missing or does not match the sealed hash. */
function linesOfPack({ seal }: AuditEntry): string[] {
  const { first, previousHash, hash, pack } = seal!;
  const bytes = Buffer.from(pack ?? "", "base64");
  return linkHash(previousHash, first, bytes) === hash ? unpacked(bytes) : [];
}

function idOf(line = ""): string | undefined {
  return /^\{"id":"(audt_\w+)"/.exec(line)?.[1];
}

/** A forged chain can contain a hash of arbitrary data. */
function unpacked(pack: Uint8Array): string[] {
  try {
    return unpackLines(pack);
  } catch {
    return [];
  }
}

function unsealed({ isSealed: _, seal: __, ...entry }: AuditEntry): object {
  return entry;
}
