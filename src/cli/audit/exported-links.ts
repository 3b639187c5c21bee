import type { AuditEntry } from "../../client/index.ts";
import { linkHash } from "../../lib/crypto/hash-chain.ts";
import { canonicalJson } from "../../lib/text/canonical-json.ts";
import { unpackLines } from "../../lib/text/packed-lines.ts";

type Seal = NonNullable<AuditEntry["seal"]>;

/** What is known of the entries that one hash is over. */
export interface Link extends Pick<Seal, "first" | "last" | "previousHash" | "hash"> {
  /** Of its last entry. */
  id: string;
  /** The first of its entries that the export does not have. Its id is known if the pack is there. */
  missing?: { number: number; id?: string | undefined; previousId?: string | undefined };
  /** The first that is not what was sealed. */
  changed?: { first: number; last: number; id: string };
}

/**
 * Puts the entries of an export together as they were hashed. Those of a link that is complete are not kept: a log may be larger
 * than memory.
 */
export class ExportedLinks {
  readonly #complete: Link[] = [];
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

  /** In the order of the chain. */
  inOrder(): Link[] {
    const incomplete = [...this.#waiting.values()].map(linkOf);
    return [...this.#complete, ...incomplete].sort((one, other) => one.first - other.first);
  }
}

/** Exports of earlier versions do not say where a link begins and ends: there each entry was one. */
export function sealOf({ seal }: AuditEntry): Seal {
  const { number } = seal!;
  return { ...seal!, first: seal!.first ?? number, last: seal!.last ?? number };
}

function linkOf(read: AuditEntry[]): Link {
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

function changedAlone(entry: AuditEntry): Link["changed"] {
  const { number, previousHash, hash } = entry.seal!;
  // Entries of earlier versions were hashed with their members sorted.
  const isWhole = [JSON.stringify, canonicalJson].some(
    (write) => linkHash(previousHash, number, write(unsealed(entry))) === hash,
  );
  return isWhole ? undefined : { first: number, last: number, id: entry.id };
}

/** The pack of several entries proves itself; then each of them is compared with its line. */
function changedInPack(entries: AuditEntry[]): Link["changed"] {
  const { first, last } = entries[0]!.seal!;
  const lines = linesOfPack(entries[0]!);
  if (lines.length !== entries.length) return { first, last, id: entries[0]!.id };
  const at = entries.findIndex((entry, index) => JSON.stringify(unsealed(entry)) !== lines[index]);
  return at < 0 ? undefined : { first: first + at, last: first + at, id: entries[at]!.id };
}

/** The first entry of a pack has it; empty if it has none, or another than was sealed. */
function linesOfPack({ seal }: AuditEntry): string[] {
  const { first, previousHash, hash, pack } = seal!;
  const bytes = Buffer.from(pack ?? "", "base64");
  return linkHash(previousHash, first, bytes) === hash ? unpacked(bytes) : [];
}

function idOf(line = ""): string | undefined {
  return /^\{"id":"(audt_\w+)"/.exec(line)?.[1];
}

/** A forged chain can contain a hash of anything. */
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
