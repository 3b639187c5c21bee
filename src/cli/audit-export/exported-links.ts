import type { AuditEntry } from "../../client/index.ts";
import { linkHash } from "../../lib/crypto/hash-chain.ts";
import { unpackLines } from "../../lib/text/packed-lines.ts";

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
