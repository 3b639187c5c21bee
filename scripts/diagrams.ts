/**
 * `npm run generate`: draws docs/diagrams/*.svg from the text files beside them. A line of a text file is one of:
 *
 *     title What the picture shows, for readers who do not see it
 *     box name column row "First line" "Second line"     (column and row from 0; `2x1` after them is its size)
 *     group column row 2x1 "Label"                       (a frame around boxes)
 *     from -> to "label"                                 (`-->` is dashed)
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { escaped } from "../src/server/pages/page-html.ts";

const folder = join(import.meta.dir, "../docs/diagrams");
const cell = { width: 148, height: 60 };
const gap = { width: 34, height: 42 };
const margin = 18;
/** Frames have their labels above the boxes. */
const top = 30;

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
  texts: string[];
}

/** Colours for both themes: pictures in pages get the theme of the page. */
const style = `text{font:13px ui-sans-serif,system-ui,sans-serif;fill:#16202b;text-anchor:middle}.small{font-size:11px;fill:#556270}
rect{fill:#fff;stroke:#c4ccd6}.group{fill:#eef2f6;stroke:none}.group-label{text-anchor:start;font-size:11px;fill:#556270}
path{fill:none;stroke:#0b6b68;stroke-width:1.5}.dashed{stroke-dasharray:4 4}.tip{fill:#0b6b68;stroke:none}.label{fill:#f7f9fb;stroke:none}
@media(prefers-color-scheme:dark){text{fill:#e6ebf0}.small,.group-label{fill:#9aa7b4}rect{fill:#161d26;stroke:#3a4654}.group{fill:#10161d}path{stroke:#4fb8b2}.tip{fill:#4fb8b2}.label{fill:#0c1116}}`;

/** The SVG of a diagram. Throws if a line cannot be read. */
export function drawn(source: string): string {
  const boxes = new Map<string, Box>();
  const groups: Box[] = [];
  const arrows: string[] = [];
  let title = "";
  for (const line of source.split("\n").filter((each) => each.trim() !== "")) {
    const texts = [...line.matchAll(/"([^"]*)"/g)].map(([, text]) => text!);
    const [kind, ...words] = line
      .replaceAll(/"[^"]*"/g, "")
      .trim()
      .split(/\s+/) as [string, ...string[]];
    if (kind === "title") title = line.slice("title ".length);
    else if (kind === "box") boxes.set(words[0]!, placed(words.slice(1), texts));
    else if (kind === "group") groups.push(placed(words, texts));
    else if (words[0] === "->" || words[0] === "-->") {
      const [from, to] = [boxes.get(kind), boxes.get(words[1]!)];
      if (!from || !to) throw new Error(`A box of this line is missing: ${line}`);
      arrows.push(arrow(from, to, texts[0], words[0] === "-->"));
    } else throw new Error(`This line cannot be read: ${line}`);
  }
  const all = [...boxes.values(), ...groups];
  const width = Math.max(...all.map(({ left, width: own }) => left + own)) + margin;
  const height = Math.max(...all.map(({ top, height: own }) => top + own)) + margin;
  const frames = groups.map((group) => frame(group));
  const shapes = [...boxes.values()].map((box) => shape(box));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>${escaped(title)}</title><style>${style}</style>
${[...frames, ...arrows, ...shapes].join("\n")}
</svg>
`;
}

function placed(words: string[], texts: string[]): Box {
  const [column, row, size = "1x1"] = words;
  const [columns, rows] = size.split("x").map(Number) as [number, number];
  const box = {
    left: margin + Number(column) * (cell.width + gap.width),
    top: top + Number(row) * (cell.height + gap.height),
    width: columns * cell.width + (columns - 1) * gap.width,
    height: rows * cell.height + (rows - 1) * gap.height,
    texts,
  };
  if (Object.values(box).some((value) => Number.isNaN(value))) throw new Error(`No place: ${words.join(" ")}`);
  return box;
}

function shape({ left, top, width, height, texts }: Box): string {
  const first = top + height / 2 - (texts.length - 1) * 8 + 4;
  const lines = texts.map(
    (text, index) =>
      `<text${index === 0 ? "" : ' class="small"'} x="${left + width / 2}" y="${first + index * 16}">${escaped(text)}</text>`,
  );
  return `<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="8"/>${lines.join("")}`;
}

function frame({ left, top, width, height, texts }: Box): string {
  const [x, y] = [left - 14, top - 24];
  return `<rect class="group" x="${x}" y="${y}" width="${width + 28}" height="${height + 38}" rx="10"/><text class="group-label" x="${x + 10}" y="${y + 15}">${escaped(texts[0] ?? "")}</text>`;
}

/** Between the sides of two boxes that face each other; with a corner if they are in neither the same row nor the same column. */
function arrow(from: Box, to: Box, label: string | undefined, isDashed: boolean): string {
  const [a, b] = [centre(from), centre(to)];
  const isBeside = overlaps(from.top, from.height, to.top, to.height);
  const isAbove = overlaps(from.left, from.width, to.left, to.width);
  const points: [number, number][] = [];
  if (isBeside) {
    const y = Math.max(from.top, to.top) + Math.min(from.height, to.height) / 2;
    points.push([b.x > a.x ? from.left + from.width : from.left, y], [b.x > a.x ? to.left : to.left + to.width, y]);
  } else if (isAbove) {
    const x = Math.max(from.left, to.left) + Math.min(from.width, to.width) / 2;
    points.push([x, b.y > a.y ? from.top + from.height : from.top], [x, b.y > a.y ? to.top : to.top + to.height]);
  } else {
    const start = b.y > a.y ? from.top + from.height : from.top;
    const end = b.y > a.y ? to.top : to.top + to.height;
    const middle = (start + end) / 2;
    const [x1, x2] = [a.x + (b.x > a.x ? 24 : -24), b.x + (b.x > a.x ? -24 : 24)];
    points.push([x1, start], [x1, middle], [x2, middle], [x2, end]);
  }
  const [before, last] = points.slice(-2) as [[number, number], [number, number]];
  const [dx, dy] = [Math.sign(last[0] - before[0]), Math.sign(last[1] - before[1])];
  const tip = [
    last,
    [last[0] - dx * 8 + dy * 4, last[1] - dy * 8 + dx * 4],
    [last[0] - dx * 8 - dy * 4, last[1] - dy * 8 - dx * 4],
  ];
  const line = `<path${isDashed ? ' class="dashed"' : ""} d="M${points.map((point) => point.join(" ")).join("L")}"/><path class="tip" d="M${tip.map((point) => point.join(" ")).join("L")}Z"/>`;
  if (!label) return line;
  const [first, second] = points.slice(points.length === 4 ? 1 : 0) as [[number, number], [number, number]];
  const [x, y] = [(first[0] + second[0]) / 2, (first[1] + second[1]) / 2];
  const width = label.length * 6.4 + 12;
  return `${line}<rect class="label" x="${x - width / 2}" y="${y - 9}" width="${width}" height="16"/><text class="small" x="${x}" y="${y + 3}">${escaped(label)}</text>`;
}

const centre = ({ left, top, width, height }: Box) => ({ x: left + width / 2, y: top + height / 2 });

const overlaps = (start: number, length: number, otherStart: number, otherLength: number): boolean =>
  start < otherStart + otherLength && otherStart < start + length;

/** The diagrams by the name of their SVG file. */
export async function diagrams(): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".txt")).sort();
  const found = new Map<string, string>();
  for (const name of names) found.set(name.replace(/txt$/, "svg"), drawn(await Bun.file(join(folder, name)).text()));
  return found;
}

if (import.meta.main) for (const [name, svg] of await diagrams()) await Bun.write(join(folder, name), svg);
