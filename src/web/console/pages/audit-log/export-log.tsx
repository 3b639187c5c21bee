import { Download } from "lucide-react";
import type { AuditLogOptions, Tollgate } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Menu } from "../../../components/menu.tsx";
import { toast } from "../../../components/toast.tsx";
import { download } from "../../../lib/download.ts";
import { messageOf } from "../../../lib/errors.ts";
import { plural } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";

/** Downloads all entries that match the filters. */
export function ExportLog({ filter }: { filter: AuditLogOptions }) {
  const { api, account } = useSession();
  const save = async (ending: "csv" | "jsonl") => {
    try {
      const parts: string[] = [];
      let total = 0;
      for await (const [count, text] of pages(api, filter, ending === "csv")) {
        parts.push(text);
        total += count;
      }
      download(new Blob(parts, { type: "application/octet-stream" }), `audit-log-${account}.${ending}`);
      toast(`${plural(total, "entry", "entries")} exported`);
    } catch (error) {
      toast(messageOf(error), "red");
    }
  };
  return (
    <Menu
      trigger={<Button icon={Download}>Export</Button>}
      actions={[
        { label: "As CSV", onSelect: () => save("csv") },
        { label: "As JSON lines", onSelect: () => save("jsonl") },
      ]}
    />
  );
}

const size = 1000;

/**
 * All entries, newest first, with the CSV text of each page. The CSV is requested from the first entry of the page on,
 * so that both have the same entries.
 */
async function* pages(api: Tollgate, filter: AuditLogOptions, isCsv: boolean): AsyncGenerator<[number, string]> {
  for (let before: string | undefined; ; ) {
    const entries = await api.auditLog.list({ ...filter, limit: size, before });
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) return;
    if (isCsv) {
      const text = await api.auditLog.csv({ ...filter, limit: entries.length, before: `${first.id}0` });
      // Every page begins with the header line.
      yield [entries.length, before ? text.slice(text.indexOf("\n") + 1) : text];
    } else yield [entries.length, entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")];
    if (entries.length < size) return;
    before = last.id;
  }
}
