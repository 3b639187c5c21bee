import type { Invoice, UpcomingInvoice } from "../../client/index.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { showList, showResource } from "./show.ts";

/** The fields of an invoice, then a table of its lines. */
export function showInvoice({ lines, ...fields }: Invoice | UpcomingInvoice, terminal: Terminal): void {
  showResource(terminal, fields);
  terminal.print("");
  const rows = lines.map((line) => ({ ...line, description: line.description ?? line.meter }));
  showList(terminal, rows, ["kind", "description", "quantity", "unitAmount", "amount", "periodStart", "periodEnd"]);
}
