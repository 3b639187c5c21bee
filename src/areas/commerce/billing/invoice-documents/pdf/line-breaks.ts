import type { Weight } from "./fonts.ts";
import { type Cluster, type Shaper, widthOf } from "./shaping.ts";

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
