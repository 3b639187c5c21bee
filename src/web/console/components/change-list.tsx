import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "../../../client/index.ts";
import { RelativeTime } from "../../components/time.tsx";
import { capitalized, plural } from "../../lib/format.ts";

/** Audit log entries as sentences, each linked to the entry. */
export function ChangeList({ entries }: { entries: AuditEntry[] }) {
  return (
    <ul className="changes">
      {entries.map((entry) => (
        <li key={entry.id}>
          <span>
            <Link to="/audit-log" search={{ entry: entry.id }}>
              {describeChange(entry)}
            </Link>{" "}
            <span className="muted">by {entry.actor.name ?? entry.actor.type}</span>
          </span>
          <span className="small muted">
            <RelativeTime time={entry.time} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** "key.rolled" of acme: "Key of acme rolled". */
export function describeChange({ action, resource, changes, counts }: AuditEntry): string {
  const [type = "", verb = ""] = action.split(".");
  const word = type.replaceAll(/[_-]/g, " ");
  const name = resource.name ?? (resource.parent?.name ? `of ${resource.parent.name}` : "");
  const counted = Object.entries(counts ?? {})
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => plural(count, wordsOf(kind.replace(/s$/, ""))));
  const fields = changes.filter(({ pointer }) => pointer !== "").map(({ pointer }) => pointer.slice(1));
  return [
    `${capitalized(word)} ${name}`.trim(),
    verb.replaceAll(/[_-]/g, " "),
    counted.length > 0 && `(${counted.join(", ")})`,
    fields.length > 0 && `(${fields.slice(0, 3).join(", ")}${fields.length > 3 ? ", …" : ""})`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** "managerInvite": "manager invite". */
const wordsOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
