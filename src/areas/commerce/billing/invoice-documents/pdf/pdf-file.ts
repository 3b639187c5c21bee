import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/** The objects of a PDF file. The same objects are the same bytes. */
export class PdfFile {
  readonly #objects: Buffer[] = [];

  /** Reserves the number of an object that others refer to before it is known. */
  reserve(): number {
    return this.#objects.push(Buffer.alloc(0));
  }

  set(number: number, content: string): void {
    this.#objects[number - 1] = Buffer.from(content, "latin1");
  }

  add(content: string): number {
    const number = this.reserve();
    this.set(number, content);
    return number;
  }

  stream(content: string): number {
    const data = deflateSync(Buffer.from(content, "latin1"));
    const head = Buffer.from(`<< /Filter /FlateDecode /Length ${data.length} >>\nstream\n`, "latin1");
    return this.#objects.push(Buffer.concat([head, data, Buffer.from("\nendstream", "latin1")]));
  }

  /** The bytes of the file. */
  write(root: number, info: number): Buffer {
    const pieces = [Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1")];
    let length = pieces[0]!.length;
    const offsets: number[] = [];
    for (const [index, content] of this.#objects.entries()) {
      offsets.push(length);
      const piece = Buffer.concat([
        Buffer.from(`${index + 1} 0 obj\n`, "latin1"),
        content,
        Buffer.from("\nendobj\n", "latin1"),
      ]);
      pieces.push(piece);
      length += piece.length;
    }
    const id = createHash("sha256").update(Buffer.concat(pieces)).digest("hex").slice(0, 32);
    const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
    pieces.push(
      Buffer.from(
        [
          `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows.join("")}`,
          `trailer\n<< /Size ${offsets.length + 1} /Root ${root} 0 R /Info ${info} 0 R /ID [<${id}> <${id}>] >>\n`,
          `startxref\n${length}\n%%EOF\n`,
        ].join(""),
        "latin1",
      ),
    );
    return Buffer.concat(pieces);
  }
}

/** A text string of any script. */
export function pdfText(text: string): string {
  return `<feff${utf16(text)}>`;
}

export function utf16(text: string): string {
  return Buffer.from(text, "utf16le").swap16().toString("hex");
}

export const numberText = (value: number): string => String(Math.round(value * 100) / 100);
