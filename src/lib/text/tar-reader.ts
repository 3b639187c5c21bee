import { ArchiveRejected, quoted } from "./archive-rejected.ts";

export interface TarEntry {
  /** The path in the archive. It is untrusted and must be checked before use. */
  path: string;
  kind: "file" | "folder";
  size: number;
}

/** Receives the content of a file in chunks. A chunk must be copied to be kept. */
export type ContentHandler = (piece: Uint8Array) => void;

const blockBytes = 512;

/**
 * The limit of long names and pax records, which usually have a few hundred bytes. 4 MiB of records took a second to
 * decode.
 */
const maxExtensionBytes = 64 * 1024;

const rejectedKinds: Record<string, string> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a device",
  "4": "a device",
  "6": "a named pipe",
};

/**
 * A push parser of tar archives (ustar, GNU and pax; files and folders only) that buffers at most one header. It
 * rejects everything that it does not support, so that no entry is read differently than by other programs.
 */
export class TarReader {
  readonly #header = new Uint8Array(blockBytes);
  #headerFilled = 0;
  #contentLeft = 0;
  #paddingLeft = 0;
  #take: ContentHandler | undefined;
  #extension: { kind: string; bytes: Uint8Array; filled: number } | undefined;
  /** The values that an extension header sets for the next entry. */
  #next: { path?: string; size?: number } = {};
  #zeroBlocks = 0;

  constructor(private readonly onEntry: (entry: TarEntry) => ContentHandler | undefined) {}

  write(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) rest = rest.subarray(this.#consume(rest));
  }

  /** Signals the end of the input. */
  end(): void {
    const isBetweenEntries = this.#headerFilled === 0 && this.#contentLeft === 0 && this.#paddingLeft === 0;
    if (this.#zeroBlocks < 2 || !isBetweenEntries) throw new ArchiveRejected("The archive is truncated.");
  }

  /** Returns the number of bytes consumed, at least one. */
  #consume(bytes: Uint8Array): number {
    if (this.#contentLeft > 0) {
      const piece = bytes.subarray(0, this.#contentLeft);
      this.#contentLeft -= piece.length;
      this.#take?.(piece);
      if (this.#contentLeft === 0) this.#finishContent();
      return piece.length;
    }
    if (this.#paddingLeft > 0) {
      const skipped = Math.min(bytes.length, this.#paddingLeft);
      this.#paddingLeft -= skipped;
      return skipped;
    }
    const taken = Math.min(bytes.length, blockBytes - this.#headerFilled);
    this.#header.set(bytes.subarray(0, taken), this.#headerFilled);
    this.#headerFilled += taken;
    if (this.#headerFilled === blockBytes) {
      this.#headerFilled = 0;
      this.#readHeader();
    }
    return taken;
  }

  #readHeader(): void {
    const header = this.#header;
    if (header.every((byte) => byte === 0)) {
      this.#zeroBlocks += 1;
      return;
    }
    if (this.#zeroBlocks > 0) throw new ArchiveRejected("The archive has data after its end.");
    if (number(header, 148, 8) !== checksum(header)) {
      throw new ArchiveRejected("The archive is not a tar, or it is damaged: a header has a wrong checksum.");
    }
    const kind = header[156] === 0 ? "0" : String.fromCharCode(header[156]!);
    const size = number(header, 124, 12);
    if ("xgLK".includes(kind)) this.#beginExtension(kind, size);
    else this.#beginEntry(kind, size);
  }

  #beginEntry(kind: string, headerSize: number): void {
    const path = this.#next.path ?? pathOf(this.#header);
    const size = this.#next.size ?? headerSize;
    this.#next = {};
    const isFolder = kind === "5" || (kind === "0" && path.endsWith("/"));
    if (!isFolder && kind !== "0" && kind !== "7") {
      const what = rejectedKinds[kind] ?? "of an unsupported type";
      throw new ArchiveRejected(`${quoted(path)} is ${what}: an archive may contain only files and folders.`);
    }
    if (isFolder && size > 0)
      throw new ArchiveRejected(`${quoted(path)} is a folder with content: the archive is damaged.`);
    this.#take = this.onEntry({ path, kind: isFolder ? "folder" : "file", size });
    this.#beginContent(size);
  }

  #beginExtension(kind: string, size: number): void {
    if (size > maxExtensionBytes) throw new ArchiveRejected("The archive has a header that is too long.");
    const extension = { kind, bytes: new Uint8Array(size), filled: 0 };
    this.#extension = extension;
    this.#take = (piece) => {
      extension.bytes.set(piece, extension.filled);
      extension.filled += piece.length;
    };
    this.#beginContent(size);
  }

  #beginContent(size: number): void {
    this.#contentLeft = size;
    this.#paddingLeft = (blockBytes - (size % blockBytes)) % blockBytes;
    if (size === 0) this.#finishContent();
  }

  #finishContent(): void {
    this.#take = undefined;
    const extension = this.#extension;
    this.#extension = undefined;
    if (extension?.kind === "L") this.#next.path = text(extension.bytes);
    if (extension?.kind === "x") Object.assign(this.#next, entrySaidBy(paxRecords(extension.bytes)));
    // A global header: `git archive` writes its commit there. A path or a size in it is invalid.
    if (extension?.kind === "g") rejectEntryRecords(paxRecords(extension.bytes));
  }
}

function pathOf(header: Uint8Array): string {
  const name = text(header.subarray(0, 100));
  // GNU's format has the magic "ustar " and uses the field of the path prefix for other values.
  const isPosix = text(header.subarray(257, 263)) === "ustar";
  const prefix = isPosix ? text(header.subarray(345, 500)) : "";
  return prefix ? `${prefix}/${name}` : name;
}

function entrySaidBy(records: Map<string, string>): { path?: string; size?: number } {
  if ([...records.keys()].some((key) => key.startsWith("GNU.sparse."))) {
    throw new ArchiveRejected("The archive has a sparse file: pack it without --sparse.");
  }
  const path = records.get("path");
  const size = records.get("size");
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw damagedHeader();
  return { ...(path !== undefined && { path }), ...(size !== undefined && { size: Number(size) }) };
}

function rejectEntryRecords(records: Map<string, string>): void {
  if (records.has("path") || records.has("size")) throw damagedHeader();
}

/** `<length> <key>=<value>\n`; the length includes itself. */
function paxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at);
    const digits = space === -1 ? "" : text(bytes.subarray(at, space));
    const end = at + Number(digits);
    const equals = bytes.indexOf(0x3d, space);
    const isRecord = /^\d{1,5}$/.test(digits) && end <= bytes.length && bytes[end - 1] === 0x0a;
    if (!isRecord || equals === -1 || equals >= end) throw damagedHeader();
    records.set(text(bytes.subarray(space + 1, equals)), exactText(bytes.subarray(equals + 1, end - 1)));
    at = end;
  }
  return records;
}

/** Octal digits, or for larger numbers base 256 after the byte 0x80. */
function number(header: Uint8Array, offset: number, length: number): number {
  const field = header.subarray(offset, offset + length);
  if (field[0] === 0x80) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
    if (!Number.isSafeInteger(value)) throw damagedHeader();
    return value;
  }
  const digits = text(field).trim();
  if (!/^[0-7]*$/.test(digits)) throw damagedHeader();
  return Number.parseInt(digits || "0", 8);
}

/** The sum of all bytes, with those of the checksum itself counted as spaces. */
function checksum(header: Uint8Array): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at += 1) if (at < 148 || at >= 156) sum += header[at]!;
  return sum;
}

/** Up to the first NUL. */
function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return exactText(end === -1 ? bytes : bytes.subarray(0, end));
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function exactText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ArchiveRejected("The archive has a name that is not UTF-8.");
  }
}

function damagedHeader(): ArchiveRejected {
  return new ArchiveRejected("The archive is not a tar, or it is damaged: a header is not valid.");
}
