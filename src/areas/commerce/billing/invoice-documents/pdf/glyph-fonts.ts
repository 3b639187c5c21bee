import { numberText, type PdfFile, utf16 } from "./pdf-file.ts";
import type { Cluster } from "./shaping.ts";

/** A character of a PDF font: the outlines of a cluster, and the text that readers copy and search. */
interface Character {
  text: string;
  width: number;
  outline: Outline;
}

interface Outline {
  path: string;
  box: [left: number, bottom: number, right: number, top: number];
}

interface GlyphFont {
  reference: number;
  characters: Character[];
}

/** A font has codes of one byte. */
const maxCharacters = 256;

/**
 * The fonts of a document, which contain only what it uses. Each cluster is a character of its own (a Type 3 font), so
 * that a letter with marks, a ligature and a contextual form is copied as the characters that it was made of.
 */
export class GlyphFonts {
  readonly #fonts: GlyphFont[] = [];
  readonly #codes = new Map<string, { font: number; code: number }>();

  constructor(private readonly file: PdfFile) {}

  /** The font and the code that draw a cluster. */
  codeOf(cluster: Cluster): { font: number; code: number } {
    const glyphs = cluster.glyphs.map(({ id, x, y }) => `${id},${numberText(x)},${numberText(y)}`);
    const key = [cluster.font.key, cluster.text, numberText(cluster.width), ...glyphs].join(" ");
    let found = this.#codes.get(key);
    if (found) return found;
    let font = this.#fonts.length - 1;
    if (font < 0 || this.#fonts[font]!.characters.length === maxCharacters) {
      this.#fonts.push({ reference: this.file.reserve(), characters: [] });
      font += 1;
    }
    const { characters } = this.#fonts[font]!;
    const { text, width } = cluster;
    found = { font, code: characters.push({ text, width, outline: outlineOf(cluster) }) - 1 };
    this.#codes.set(key, found);
    return found;
  }

  /** Adds the fonts to the file. Returns the dictionary of their names. */
  write(): string {
    for (const font of this.#fonts) this.#writeFont(font);
    return `<< ${this.#fonts.map(({ reference }, index) => `/F${index} ${reference} 0 R`).join(" ")} >>`;
  }

  #writeFont({ reference, characters }: GlyphFont): void {
    const procedures = characters.map(({ width, outline: { path, box } }) =>
      this.file.stream(`${[width, 0, ...box].map(numberText).join(" ")} d1\n${path}${path === "" ? "" : "f\n"}`),
    );
    const boxes = characters.map(({ outline }) => outline.box);
    const side = (index: 0 | 1 | 2 | 3, pick: (...values: number[]) => number) =>
      numberText(pick(0, ...boxes.map((box) => box[index])));
    const box = [side(0, Math.min), side(1, Math.min), side(2, Math.max), side(3, Math.max)].join(" ");
    this.file.set(
      reference,
      [
        `<< /Type /Font /Subtype /Type3 /FontBBox [${box}] /FontMatrix [0.001 0 0 0.001 0 0]`,
        `/FirstChar 0 /LastChar ${characters.length - 1}`,
        `/Widths [${characters.map(({ width }) => numberText(width)).join(" ")}]`,
        `/Encoding << /Type /Encoding /Differences [0 ${characters.map((_, code) => `/c${code}`).join(" ")}] >>`,
        `/CharProcs << ${procedures.map((procedure, code) => `/c${code} ${procedure} 0 R`).join(" ")} >>`,
        `/Resources << >> /ToUnicode ${this.file.stream(unicodeMap(characters))} 0 R >>`,
      ].join("\n"),
    );
  }
}

const hex = (code: number) => code.toString(16).padStart(2, "0");

function unicodeMap(characters: Character[]): string {
  const rows = characters.map(({ text }, code) => `<${hex(code)}> <${utf16(text)}>`);
  // At most 100 rows at once.
  const blocks: string[] = [];
  for (let at = 0; at < rows.length; at += 100) {
    const block = rows.slice(at, at + 100);
    blocks.push(`${block.length} beginbfchar\n${block.join("\n")}\nendbfchar\n`);
  }
  return [
    "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Tollgate def\n/CMapType 2 def\n",
    `1 begincodespacerange\n<00> <ff>\nendcodespacerange\n${blocks.join("")}`,
    "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n",
  ].join("");
}

const commands: Record<string, string> = { M: "m", L: "l", C: "c", Z: "h" };

/** The outlines of all glyphs as operators of PDF, which has no quadratic curves. */
function outlineOf({ font, glyphs }: Cluster): Outline {
  const scale = 1000 / font.unitsPerEm;
  const box: Outline["box"] = [0, 0, 0, 0];
  let isEmpty = true;
  let path = "";
  for (const { id, x, y } of glyphs) {
    let last: [number, number] = [0, 0];
    for (const [, command = "", numbers = ""] of font.font.glyphToPath(id).matchAll(/([MLQCZ])([^MLQCZ]*)/g)) {
      const values = numbers
        .split(/[ ,]+/)
        .filter((text) => text !== "")
        .map(Number);
      let points: [number, number][] = [];
      for (let at = 0; at + 1 < values.length; at += 2)
        points.push([values[at]! * scale + x, values[at + 1]! * scale + y]);
      if (command === "Q") points = cubic(last, points[0]!, points[1]!);
      for (const [left, bottom] of points) {
        box[0] = isEmpty ? left : Math.min(box[0], left);
        box[1] = isEmpty ? bottom : Math.min(box[1], bottom);
        box[2] = isEmpty ? left : Math.max(box[2], left);
        box[3] = isEmpty ? bottom : Math.max(box[3], bottom);
        isEmpty = false;
      }
      last = points.at(-1) ?? last;
      path += `${points.flat().map(numberText).join(" ")} ${commands[command === "Q" ? "C" : command]}\n`;
    }
  }
  return { path, box };
}

function cubic(from: [number, number], control: [number, number], to: [number, number]): [number, number][] {
  const between = (end: [number, number]): [number, number] => [
    end[0] + (2 / 3) * (control[0] - end[0]),
    end[1] + (2 / 3) * (control[1] - end[1]),
  ];
  return [between(from), between(to), to];
}
