import { Download } from "lucide-react";
import { useState } from "react";
import { type CsvCell, csvOf } from "../../../../lib/text/csv.ts";
import { Button } from "../../../components/button.tsx";
import { toast } from "../../../components/toast.tsx";
import { download } from "../../../lib/download.ts";
import { messageOf } from "../../../lib/errors.ts";
import { plural } from "../../../lib/format.ts";

export interface CsvTable {
  columns: string[];
  rows: CsvCell[][];
}

export function downloadCsv({ columns, rows }: CsvTable, name: string): void {
  download(new Blob([csvOf(columns, rows)], { type: "text/csv" }), name);
}

/** A button that loads a whole list, with the filters of the page, and saves it as CSV. */
export function ExportFile({ name, noun, load }: { name: string; noun: string; load: () => Promise<CsvTable> }) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const table = await load();
      downloadCsv(table, name);
      toast(`${plural(table.rows.length, noun)} exported`);
    } catch (error) {
      toast(messageOf(error), "red");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon={Download} isBusy={isBusy} title="Export as CSV, with the filters of this list" onClick={save}>
      <span className="word-if-wide">Export</span>
    </Button>
  );
}
