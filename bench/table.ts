/** What one benchmark says about one target. */
export interface Row {
  readonly what: string;
  readonly against: string;
  readonly target: Target | Information;
  /** Undefined: it could not be measured, and `measured` says why. That counts as a miss. */
  readonly reached: number | undefined;
  /** The single rounds whose median is `reached`. */
  readonly rounds: readonly number[];
  /** The absolute figures behind the ratio, for people: they mean little on another machine. */
  readonly measured: string;
}

type Unit = "×" | "ms" | "MB" | "/s";

export interface Target {
  readonly comparison: ">=" | "<=" | "<";
  readonly value: number;
  readonly unit: Unit;
}

/** Nothing is promised; the figure helps to read the others. */
export interface Information {
  readonly comparison: "none";
  readonly unit: Unit;
}

export function isMet({ target, reached }: Row): boolean {
  if (reached === undefined) return false;
  switch (target.comparison) {
    case ">=":
      return reached >= target.value;
    case "<=":
      return reached <= target.value;
    case "<":
      return reached < target.value;
    case "none":
      return true;
  }
}

export function renderTable(rows: readonly Row[]): string {
  const cells = [["what", "against", "target", "reached", "", "measured"], ...rows.map(renderRow)];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const lines = cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join("  "));
  lines.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}

function renderRow(row: Row): string[] {
  const { what, against, target, measured } = row;
  const isPromised = target.comparison !== "none";
  return [
    what,
    against,
    isPromised ? `${target.comparison} ${target.value.toLocaleString("en")} ${target.unit}` : "",
    renderReached(row),
    !isMet(row) ? "MISS" : isPromised ? "ok" : "",
    measured,
  ];
}

function renderReached({ reached, target: { unit } }: Row): string {
  if (reached === undefined) return "not measured";
  return `${unit === "×" ? reached.toFixed(2) : Math.round(reached).toLocaleString("en")} ${unit}`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString("en")}/s`;
}
