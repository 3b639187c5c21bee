import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Face, Font, Blob as FontBlob, Variation } from "harfbuzzjs";
import decompress from "woff2-encoder/decompress";
import { readOnce } from "../../../../../lib/cache/read-once.ts";
import { programBeside } from "../../../../../lib/files/program-beside.ts";

export type Weight = 400 | 700;

/** The Noto Sans fonts by script, in the order in which they are tried. Packages divide them by ranges of characters. */
const scripts = [
  "",
  ...["arabic", "hebrew", "devanagari", "bengali", "tamil", "telugu", "kannada", "malayalam", "gujarati", "gurmukhi"],
  ...["sinhala", "thai", "lao", "khmer", "myanmar", "georgian", "armenian", "ethiopic"],
];
const eastAsian = ["sc", "tc", "jp", "kr"];

/** A part of a font: the characters of a range, in a file of their own. */
interface Part {
  file: string;
  ranges: [first: number, last: number][];
}

/** A font of one weight, of which only the characters of a part are known. */
export interface LoadedFont {
  key: string;
  font: Font;
  /** Units of the font in an em. */
  unitsPerEm: number;
}

const parts = new Map<string, Promise<Part[]>>();
const fonts = new Map<string, Promise<LoadedFont>>();
/** Fonts are kept in memory that does not shrink: about 0.1 MB for each part, of which there are some hundred. */
const maxFonts = 64;

const partsOf = (script: string): Promise<Part[]> => readOnce(parts, script, () => readParts(script));

/** Beside the executable, in a checkout as npm installed it, or in the npm package. */
function folderOf(name: string): string {
  const root = join(import.meta.dir, "../../../../../..");
  const installed = join(root, "node_modules/@fontsource-variable", name);
  return programBeside(`fonts/${name}`) ?? (existsSync(installed) ? installed : join(root, "dist/fonts", name));
}

async function readParts(script: string): Promise<Part[]> {
  const name = `noto-sans${script && `-${script}`}`;
  const folder = folderOf(name);
  const subsets = JSON.parse(await readFile(join(folder, "unicode.json"), "utf8")) as Record<string, string>;
  return Object.entries(subsets).map(([subset, ranges]) => ({
    file: join(folder, "files", `${name}-${subset.replace(/[[\]]/g, "")}-wght-normal.woff2`),
    ranges: ranges.split(",").map((range) => {
      const [first = "", last = first] = range.trim().slice(2).split("-");
      return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
    }),
  }));
}

function load(file: string, weight: Weight): Promise<LoadedFont> {
  const key = `${file} ${weight}`;
  const found = readOnce(fonts, key, () => readFont(file, weight, key));
  // The one that was loaded first. A document that uses it keeps it.
  if (fonts.size > maxFonts) fonts.delete(fonts.keys().next().value!);
  return found;
}

async function readFont(file: string, weight: Weight, key: string): Promise<LoadedFont> {
  const face = new Face(new FontBlob(await decompress(await readFile(file))));
  const font = new Font(face);
  font.setVariations([new Variation("wght", weight)]);
  return { key, font, unitsPerEm: face.upem };
}

/** The fonts of a text: Chinese characters have other shapes in Japanese and Korean names. */
function scriptsOf(text: string): string[] {
  const first = /[\u3040-\u30ff]/.test(text) ? "jp" : /[\uac00-\ud7a3]/.test(text) ? "kr" : undefined;
  return first === undefined
    ? [...scripts, ...eastAsian]
    : [...scripts, first, ...eastAsian.filter((each) => each !== first)];
}

const hasGlyph = ({ font }: LoadedFont, codePoint: number) => (font.nominalGlyph(codePoint) ?? 0) !== 0;

/**
 * The font of each code unit of a text. A mark and a joiner have the font of the character before them, which they are
 * shaped with, if it contains them. A character that no font has is shown as a box.
 */
export async function fontsOf(text: string, weight: Weight, known: KnownFonts): Promise<LoadedFont[]> {
  const found: LoadedFont[] = [];
  const order = scriptsOf(text);
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    const before = found.at(-1);
    const stays = before && /[\p{M}\p{Cf}\p{Zs}]/u.test(character) && hasGlyph(before, codePoint);
    const font = stays ? before : ((await known.find(codePoint, order, weight)) ?? before ?? (await fallback(weight)));
    for (let index = 0; index < character.length; index += 1) found.push(font);
  }
  return found;
}

/** The fonts of the characters of one document, which many lines repeat. */
export class KnownFonts {
  readonly #fonts = new Map<string, LoadedFont | undefined>();

  async find(codePoint: number, order: string[], weight: Weight): Promise<LoadedFont | undefined> {
    const key = `${codePoint} ${order.indexOf("sc")} ${order.indexOf("jp")} ${weight}`;
    if (!this.#fonts.has(key)) this.#fonts.set(key, await fontWith(codePoint, order, weight));
    return this.#fonts.get(key);
  }
}

async function fontWith(codePoint: number, order: string[], weight: Weight): Promise<LoadedFont | undefined> {
  for (const script of order)
    for (const { file, ranges } of await partsOf(script)) {
      if (!ranges.some(([first, last]) => codePoint >= first && codePoint <= last)) continue;
      const font = await load(file, weight);
      if (hasGlyph(font, codePoint)) return font;
    }
  return undefined;
}

async function fallback(weight: Weight): Promise<LoadedFont> {
  return (await fontWith(0x20, [""], weight))!;
}
