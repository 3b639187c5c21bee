/** What one benchmark says about one target. */
export interface Row {
  readonly what: string;
  readonly against: string;
  readonly target: Target;
  readonly reached: number;
  /** The single rounds whose median is `reached`. */
  readonly rounds: readonly number[];
  /** The absolute figures behind the ratio, for people: they mean little on another machine. */
  readonly measured: string;
}

export interface Target {
  readonly comparison: ">=" | "<=" | "<";
  readonly value: number;
  readonly unit: "×" | "ms" | "MB" | "/s";
}

export function isMet(row: Row): boolean {
  const { comparison, value } = row.target;
  if (comparison === ">=") return row.reached >= value;
  return comparison === "<=" ? row.reached <= value : row.reached < value;
}

export function renderTable(rows: readonly Row[]): string {
  const cells = [["what", "against", "target", "reached", "", "measured"], ...rows.map(renderRow)];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const lines = cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join("  "));
  lines.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}

function renderRow(row: Row): string[] {
  const { comparison, value, unit } = row.target;
  return [
    row.what,
    row.against,
    `${comparison} ${value.toLocaleString("en")} ${unit}`,
    `${unit === "×" ? row.reached.toFixed(2) : Math.round(row.reached).toLocaleString("en")} ${unit}`,
    isMet(row) ? "ok" : "MISS",
    row.measured,
  ];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString("en")}/s`;
}
