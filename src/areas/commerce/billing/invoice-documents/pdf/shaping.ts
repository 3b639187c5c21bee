import bidiFactory from "bidi-js";
import { Direction, Buffer as GlyphBuffer, shape } from "harfbuzzjs";
import { fontsOf, KnownFonts, type LoadedFont, type Weight } from "./fonts.ts";

/** Characters that are drawn together, such as a letter with its marks, and their glyphs. */
export interface Cluster {
  text: string;
  font: LoadedFont;
  glyphs: { id: number; x: number; y: number }[];
  /** In thousandths of an em. */
  width: number;
}

const bidi = bidiFactory();

interface Run {
  start: number;
  end: number;
  level: number;
  font: LoadedFont;
}

/** Shapes the lines of one document, each once. */
export class Shaper {
  readonly #fonts = new KnownFonts();
  readonly #lines = new Map<string, Promise<Cluster[]>>();

  shape(line: string, weight: Weight): Promise<Cluster[]> {
    const key = `${weight} ${line}`;
    const found = this.#lines.get(key) ?? shapeLine(line, weight, this.#fonts);
    this.#lines.set(key, found);
    return found;
  }
}

/** The clusters of a line from left to right. Its direction is that of its first letter. */
async function shapeLine(line: string, weight: Weight, known: KnownFonts): Promise<Cluster[]> {
  const text = line.normalize("NFC");
  const fonts = await fontsOf(text, weight, known);
  const { levels } = bidi.getEmbeddingLevels(text);
  const runs: Run[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const last = runs.at(-1);
    const [level, font] = [levels[index]!, fonts[index]!];
    if (last && last.level === level && last.font === font) last.end = index + 1;
    else runs.push({ start: index, end: index + 1, level, font });
  }
  return inVisualOrder(runs).flatMap((run) => shapeRun(text, run));
}

/** Reverses runs from the highest level down to the lowest odd one (rule L2 of UAX #9). */
function inVisualOrder(runs: Run[]): Run[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1)
    for (let start = 0; start < ordered.length; start += 1) {
      if (ordered[start]!.level < level) continue;
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end += 1;
      ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = end;
    }
  return ordered;
}

function shapeRun(text: string, { start, end, level, font }: Run): Cluster[] {
  const buffer = new GlyphBuffer();
  buffer.addText(text.slice(start, end));
  buffer.guessSegmentProperties();
  buffer.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR);
  shape(font.font, buffer);
  const scale = 1000 / font.unitsPerEm;
  const positions = buffer.getGlyphPositions();
  const clusters: (Cluster & { start: number })[] = [];
  for (const [index, { codepoint: id, cluster }] of buffer.getGlyphInfos().entries()) {
    const { xAdvance, xOffset, yOffset } = positions[index]!;
    if (clusters.at(-1)?.start !== cluster) clusters.push({ start: cluster, text: "", font, glyphs: [], width: 0 });
    const current = clusters.at(-1)!;
    current.glyphs.push({ id, x: current.width + xOffset * scale, y: yOffset * scale });
    current.width += xAdvance * scale;
  }
  // A cluster ends where the next one in the text begins.
  const starts = clusters.map((each) => each.start).toSorted((one, other) => one - other);
  for (const cluster of clusters) {
    const next = starts.find((each) => each > cluster.start) ?? end - start;
    cluster.text = text.slice(start + cluster.start, start + next);
  }
  return clusters;
}

export const widthOf = (clusters: Cluster[], size: number): number =>
  (clusters.reduce((sum, { width }) => sum + width, 0) * size) / 1000;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Divides a text into lines of at most a width: after spaces and hyphens, or anywhere in a word that is too long. */
export async function breakLines(
  shaper: Shaper,
  text: string,
  { size, weight, width }: { size: number; weight: Weight; width: number },
): Promise<Cluster[][]> {
  const whole = await shaper.shape(text, weight);
  if (widthOf(whole, size) <= width) return [whole];
  const measure = async (part: string) => widthOf(await shaper.shape(part, weight), size);
  const lines: string[] = [];
  let line = "";
  for (const word of text.match(/[^\s-]*[\s-]+|[^\s-]+/g) ?? []) {
    if ((await measure((line + word).trimEnd())) <= width) {
      line += word;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    if ((await measure(word.trimEnd())) <= width) continue;
    line = "";
    for (const { segment } of graphemes.segment(word)) {
      if (line !== "" && (await measure((line + segment).trimEnd())) > width) {
        lines.push(line);
        line = "";
      }
      line += segment;
    }
  }
  lines.push(line);
  const shaped: Cluster[][] = [];
  for (const each of lines) shaped.push(await shaper.shape(each.trimEnd(), weight));
  return shaped;
}
