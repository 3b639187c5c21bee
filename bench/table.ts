import { isMet, type Row } from "./row.ts";
import type { Figure } from "./sample.ts";

export const tableHeadings = ["what", "against", "target", "reached", "", "per second", "p50 µs", "p99 µs", "CPU µs"];

/** The table for terminals. Figures with a slash are ours and the rival's. */
export function renderTable(rows: readonly Row[]): string {
  const cells = [tableHeadings, ...rows.map(renderCells)];
  const widths = tableHeadings.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const lines = cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join("  "));
  lines.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}

export function renderCells(row: Row): string[] {
  return [
    row.what,
    row.against,
    renderTarget(row),
    renderReached(row),
    renderVerdict(row),
    renderFigures(row, "perSecond"),
    renderFigures(row, "p50Microseconds"),
    renderFigures(row, "p99Microseconds"),
    renderFigures(row, "cpuMicroseconds"),
  ];
}

export function renderTarget({ target }: Row): string {
  return target.comparison === "none" ? "" : `${target.comparison} ${target.value.toLocaleString("en")} ${target.unit}`;
}

export function renderReached({ reached, target: { unit }, note }: Row): string {
  if (reached === undefined) return `not measured: ${note}`;
  return `${unit === "×" ? reached.toFixed(2) : Math.round(reached).toLocaleString("en")} ${unit}`;
}

function renderVerdict(row: Row): string {
  if (row.target.comparison === "none") return "";
  return isMet(row) ? "ok" : "MISS";
}

function renderFigures({ ours, theirs }: Row, figure: Figure): string {
  return [ours, theirs]
    .filter((sample) => sample !== undefined)
    .map((sample) => renderNumber(sample[figure]))
    .join(" / ");
}

export function renderNumber(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 });
}
