const block = 512;

export interface RawHeader {
  name: string | Uint8Array;
  /** As it stands in the header: octal text, or bytes of ours. */
  size?: string | Uint8Array;
  type?: string;
  linkName?: string;
  prefix?: string;
  mode?: string;
  magic?: string;
  /** Instead of the right one. */
  checksum?: string;
}

/** Headers that no tar program would write: every field as it is given. */
export function rawEntry(header: RawHeader, content: string | Uint8Array = ""): Buffer {
  const bytes = Buffer.alloc(block);
  const body = Buffer.from(content as string);
  const put = (value: string | Uint8Array, at: number, length: number) =>
    Buffer.from(value as string).copy(bytes, at, 0, length);
  put(header.name, 0, 100);
  put(header.mode ?? "0000644", 100, 8);
  put("0000000", 108, 8);
  put("0000000", 116, 8);
  put(header.size ?? body.length.toString(8).padStart(11, "0"), 124, 12);
  put("00000000000", 136, 12);
  put("        ", 148, 8);
  put(header.type ?? "0", 156, 1);
  put(header.linkName ?? "", 157, 100);
  put(header.magic ?? "ustar\u000000", 257, 8);
  put(header.prefix ?? "", 345, 155);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  put(header.checksum ?? `${sum.toString(8).padStart(6, "0")}\u0000 `, 148, 8);
  return Buffer.concat([bytes, body, Buffer.alloc((block - (body.length % block)) % block)]);
}

export const tarEnd = Buffer.alloc(2 * block);

/** A pax header of records, which set something of the entry that follows. */
export function paxEntry(records: Record<string, string>, type = "x"): Buffer {
  return rawEntry(
    { name: "pax", type },
    Object.entries(records)
      .map(([name, value]) => paxRecord(name, value))
      .join(""),
  );
}

/** `<length> <name>=<value>\n`, where the length counts itself. */
function paxRecord(name: string, value: string): string {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return `${length} ${name}=${value}\n`;
}
