import type { Usage } from "../../client/index.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { showList } from "./show.ts";

/** Prints the usage of each meter. */
export function showMeters(terminal: Terminal, meters: Usage["meters"]): void {
  const rows = Object.entries(meters).map(([meter, { label, used, max, available }]) => ({
    meter,
    label: label === meter ? undefined : label,
    used,
    max,
    available,
  }));
  showList(terminal, rows, ["meter", "label", "used", "max", "available"]);
}
