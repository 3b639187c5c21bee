import type { Terminal } from "../terminal/terminal.ts";

const gap = "  ";
const narrowest = 12;

interface Column {
  title: string;
  /** Whether a truncated value is useful: true for a description, false for an id. */
  canBeCut: boolean;
  isId: boolean;
}

interface Table {
  text: string;
  /** The titles of columns that do not fit the terminal. */
  leftOut: string[];
}

/**
 * Aligned columns under their titles. In a terminal, texts are truncated and the last columns omitted until each row
 * fits one line.
 */
export function table(terminal: Terminal, columns: Column[], rows: string[][]): Table {
  const lines = [columns.map(({ title }) => title), ...rows.map((cells) => cells.map(oneLine))];
  const natural = columns.map((_, column) => Math.max(...lines.map((cells) => Bun.stringWidth(cells[column] ?? ""))));
  const widths = terminal.width === undefined ? natural : fitted(columns, natural, terminal.width);
  const write = (cells: string[]) =>
    widths
      .map((width, column) => cell(cells[column] ?? "", width))
      .join(gap)
      .trimEnd();
  const [head, ...body] = lines.map(write);
  return {
    text: [terminal.style("bold", head!), ...body].join("\n"),
    leftOut: columns.slice(widths.length).map(({ title }) => title),
  };
}

/** Names on the left, values on the right. */
export function pairs(terminal: Terminal, entries: [name: string, value: string][]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  const indent = " ".repeat(width + gap.length);
  return entries
    .map(([name, value]) => terminal.style("dim", name.padEnd(width)) + gap + value.replaceAll("\n", `\n${indent}`))
    .join("\n");
}

function fitted(columns: Column[], natural: number[], width: number): number[] {
  for (let count = columns.length; count > 1; count -= 1) {
    const widths = cutTexts(columns, natural.slice(0, count), width);
    if (totalOf(widths) <= width) return widths;
  }
  // A row of ids alone is not useful: the column after them is truncated, even if it is a webhook's URL.
  const rest = width - natural[0]! - gap.length;
  return columns[0]!.isId && columns.length > 1 && rest >= narrowest ? [natural[0]!, rest] : natural.slice(0, 1);
}

/** Shortens the widest text until all fit or nothing is left to shorten. */
function cutTexts(columns: Column[], natural: number[], width: number): number[] {
  const widths = [...natural];
  while (totalOf(widths) > width) {
    const spare = widths.map((one, column) => (columns[column]!.canBeCut && one > narrowest ? one : 0));
    const max = Math.max(...spare);
    if (max === 0) break;
    widths[spare.indexOf(max)]! -= 1;
  }
  return widths;
}

function totalOf(widths: number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
}

function cell(text: string, width: number): string {
  const cut = Bun.sliceAnsi(text, 0, width, { ellipsis: "…" });
  return cut + " ".repeat(Math.max(0, width - Bun.stringWidth(cut)));
}

/** User input may contain line ends and control characters, which must not move the cursor. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern replaces control characters.
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ");
}
