import { Slice } from "../../../../lib/tasks/slices.ts";
import type { InvoiceContent } from "./invoice-content.ts";
import { Canvas, pageHeight, pageWidth, type TextStyle } from "./pdf/canvas.ts";
import type { Weight } from "./pdf/fonts.ts";
import { breakLines, type Cluster, Shaper } from "./pdf/shaping.ts";

const margin = 51;
const width = pageWidth - 2 * margin;
const bottom = pageHeight - margin;
const muted = 0.36;
const size = 10;
const small = 8.5;
const lineHeight = 1.45;

/** The columns of the lines: where numbers end, and where texts begin. */
const columns = [
  { x: margin, width: 190, align: "left" },
  { x: margin + 200, width: 118, align: "left" },
  { x: margin + 368, width: 48, align: "right" },
  { x: margin + 430, width: 60, align: "right" },
  { x: margin + width, width: 60, align: "right" },
] as const;

/** An invoice or a credit note as a PDF. The same content is the same bytes. */
export async function invoicePdf(content: InvoiceContent, createdOn: Date): Promise<Buffer> {
  const drawing = new Drawing();
  await drawing.head(content);
  await drawing.rows(content);
  await drawing.sums(content);
  for (const note of content.notes) await drawing.note(note);
  await drawing.pageNumbers();
  return drawing.canvas.write(content.title, createdOn);
}

class Drawing {
  readonly canvas = new Canvas();
  readonly #shaper = new Shaper();
  readonly #slice = new Slice();
  #y = margin;

  async head({ title, state, dates, parties }: InvoiceContent): Promise<void> {
    this.#y = (await this.#paragraph(title, margin, margin + 16, width, { size: 20 }, 700)) + 2;
    let right = this.#y;
    for (const { name, value } of dates) {
      await this.#line(name, margin + 290, right, { size, gray: muted });
      for (const line of await this.#lines(value, { size }, 400, 115)) {
        this.canvas.text(line, margin + width, right, { size, align: "right" });
        right += size * lineHeight;
      }
    }
    if (state !== undefined) this.#y = await this.#paragraph(state, margin, this.#y, 280, { size }, 700);
    this.#y = Math.max(this.#y, right) + 22;
    let end = this.#y;
    for (const [index, { title: name, lines }] of parties.entries()) {
      const left = margin + index * (width / 2 + 10);
      await this.#line(name, left, this.#y, { size: small, gray: muted }, 700);
      let y = this.#y + size * lineHeight;
      for (const line of lines) y = await this.#paragraph(line, left, y, width / 2 - 20, { size });
      end = Math.max(end, y);
    }
    this.#y = end + 22;
  }

  async rows({ columns: names, rows }: InvoiceContent): Promise<void> {
    await this.#header(names);
    for (const { description, note, period, quantity, unitAmount, amount } of rows) {
      if (this.#slice.isOver) await this.#slice.next();
      const cells = [description, period, quantity, unitAmount, amount];
      const wrapped: Cluster[][][] = [];
      for (const [index, text] of cells.entries())
        wrapped.push(await this.#lines(text, { size }, 400, columns[index]!.width));
      const noteLines = note === undefined ? 0 : 1;
      const lines = Math.max(wrapped[0]!.length + noteLines, ...wrapped.map((each) => each.length));
      const height = lines * size * lineHeight + 8;
      if (this.#y + height > bottom) {
        this.#nextPage();
        await this.#header(names);
      }
      for (const [index, cell] of wrapped.entries())
        for (const [row, line] of cell.entries()) this.#cell(line, index, this.#y + row * size * lineHeight, { size });
      if (note !== undefined) {
        const y = this.#y + wrapped[0]!.length * size * lineHeight;
        this.#cell(await this.#shaper.shape(note, 400), 0, y, { size: small, gray: muted });
      }
      this.#y += height;
      this.canvas.rule(margin, this.#y - size - 3, width, { thickness: 0.5, gray: 0.84 });
    }
  }

  async #header(names: readonly string[]): Promise<void> {
    for (const [index, name] of names.entries())
      this.#cell(await this.#shaper.shape(name, 700), index, this.#y, { size: small });
    this.canvas.rule(margin, this.#y + 6, width, { thickness: 1.2, gray: 0.1 });
    this.#y += 22;
  }

  #cell(line: Cluster[], index: number, y: number, style: TextStyle): void {
    const { x, align } = columns[index]!;
    this.canvas.text(line, x, y, { ...style, align });
  }

  async sums({ sums }: InvoiceContent): Promise<void> {
    this.#y += 12;
    if (this.#y + sums.length * 18 > bottom) this.#nextPage();
    const left = margin + width - 235;
    for (const { name, amount, isTotal } of sums) {
      const weight = isTotal ? 700 : 400;
      if (isTotal) this.canvas.rule(left, this.#y - 12, 235, { thickness: 1.2, gray: 0.1 });
      this.canvas.text(await this.#shaper.shape(amount, weight), margin + width, this.#y, { size, align: "right" });
      this.#y = (await this.#paragraph(name, left, this.#y, 155, { size }, weight)) + 4;
    }
  }

  async note(text: string): Promise<void> {
    if (this.#y + 30 > bottom) this.#nextPage();
    this.#y = await this.#paragraph(text, margin, this.#y + 8, width, { size });
  }

  /** Only where there are several. */
  async pageNumbers(): Promise<void> {
    const { pageCount } = this.canvas;
    for (let page = 0; page < pageCount && pageCount > 1; page += 1) {
      this.canvas.selectPage(page);
      const text = `Page ${page + 1} of ${pageCount}`;
      await this.#line(text, margin + width, pageHeight - 28, { size: small, gray: muted, align: "right" });
    }
  }

  #nextPage(): void {
    this.canvas.addPage();
    this.#y = margin + 10;
  }

  #lines(text: string, style: TextStyle, weight: Weight, width: number): Promise<Cluster[][]> {
    return breakLines(this.#shaper, text, { size: style.size, weight, width });
  }

  async #line(text: string, x: number, y: number, style: TextStyle, weight: Weight = 400): Promise<void> {
    this.canvas.text(await this.#shaper.shape(text, weight), x, y, style);
  }

  /** Returns where the next line begins. */
  async #paragraph(text: string, x: number, y: number, width: number, style: TextStyle, weight: Weight = 400) {
    let next = y;
    for (const line of await this.#lines(text, style, weight, width)) {
      this.canvas.text(line, x, next, style);
      next += style.size * lineHeight;
    }
    return next;
  }
}
