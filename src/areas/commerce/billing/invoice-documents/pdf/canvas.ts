import { GlyphFonts } from "./glyph-fonts.ts";
import { numberText, PdfFile, pdfText } from "./pdf-file.ts";
import { type Cluster, widthOf } from "./shaping.ts";

/** A4, in points. */
export const pageWidth = 595.28;
export const pageHeight = 841.89;

export interface TextStyle {
  size: number;
  /** A colour as a share of white. */
  gray?: number;
  align?: "left" | "right";
}

/** Pages to draw on. Positions are in points from the left and from the top. */
export class Canvas {
  readonly #file = new PdfFile();
  readonly #fonts = new GlyphFonts(this.#file);
  readonly #pages: string[] = [""];
  #page = 0;

  get pageCount(): number {
    return this.#pages.length;
  }

  addPage(): void {
    this.#page = this.#pages.push("") - 1;
  }

  selectPage(page: number): void {
    this.#page = page;
  }

  text(clusters: Cluster[], x: number, y: number, { size, gray = 0.1, align = "left" }: TextStyle): void {
    let left = align === "right" ? x - widthOf(clusters, size) : x;
    const operators = [`${numberText(gray)} g BT`];
    for (let at = 0; at < clusters.length; ) {
      const { font } = this.#fonts.codeOf(clusters[at]!);
      let codes = "";
      const start = left;
      for (; at < clusters.length; at += 1) {
        const next = this.#fonts.codeOf(clusters[at]!);
        if (next.font !== font) break;
        codes += next.code.toString(16).padStart(2, "0");
        left += (clusters[at]!.width * size) / 1000;
      }
      const place = `1 0 0 1 ${numberText(start)} ${numberText(pageHeight - y)} Tm`;
      operators.push(`/F${font} ${numberText(size)} Tf ${place} <${codes}> Tj`);
    }
    this.#pages[this.#page] += `${operators.join(" ")} ET\n`;
  }

  /** A horizontal line. */
  rule(x: number, y: number, width: number, { thickness, gray }: { thickness: number; gray: number }): void {
    const box = [x, pageHeight - y, width, thickness].map(numberText).join(" ");
    this.#pages[this.#page] += `${numberText(gray)} g ${box} re f\n`;
  }

  /** The bytes of the file. */
  write(title: string, createdOn: Date): Buffer {
    const file = this.#file;
    const pages = file.reserve();
    const resources = file.add(`<< /Font ${this.#fonts.write()} >>`);
    const kids = this.#pages.map((content) => {
      const box = `/MediaBox [0 0 ${pageWidth} ${pageHeight}] /Resources ${resources} 0 R`;
      return file.add(`<< /Type /Page /Parent ${pages} 0 R ${box} /Contents ${file.stream(content)} 0 R >>`);
    });
    file.set(pages, `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] >>`);
    const viewer = "/ViewerPreferences << /DisplayDocTitle true >>";
    const root = file.add(`<< /Type /Catalog /Pages ${pages} 0 R /Lang (en) ${viewer} >>`);
    const time = createdOn.toISOString().replace(/[-:T]/g, "").slice(0, 14);
    const info = file.add(`<< /Title ${pdfText(title)} /Producer (Tollgate) /CreationDate (D:${time}Z) >>`);
    return file.write(root, info);
  }
}
