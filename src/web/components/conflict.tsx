import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { useForm } from "./form.tsx";
import { Notice } from "./notice.tsx";

/** A field with conflicting changes: the value on the server and the value in the form. */
export interface ConflictField {
  label: string;
  theirs: unknown;
  mine: unknown;
}

interface ConflictProps {
  fields: ConflictField[];
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

/** Shows both versions of a resource after a conflicting change (412), and the choice between them. */
export function Conflict({ fields, onKeepMine, onTakeTheirs }: ConflictProps) {
  const form = useForm();
  const different = fields.filter(({ theirs, mine }) => shown(theirs) !== shown(mine));
  return (
    <div className="stack stack-tight">
      <Notice kind="warning">
        This was changed by another user while you were editing. Your changes were not saved.{" "}
        {different.length === 0 && "The server already has the values that you were about to save."}
      </Notice>
      {different.length > 0 && (
        <table className="table conflict">
          <caption className="visually-hidden">Both versions</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Now on the server</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {different.map(({ label, theirs, mine }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{cell(theirs)}</td>
                <td>{cell(mine)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="row row-wrap">
        <Button
          isSmall
          onClick={() => {
            onTakeTheirs();
            form.reset();
          }}
        >
          Take theirs
        </Button>
        <Button isSmall onClick={() => form.save(onKeepMine)}>
          Keep mine, and save over theirs
        </Button>
      </div>
    </div>
  );
}

function cell(value: unknown): ReactNode {
  const text = shown(value);
  return text === "" ? <span className="muted">Empty</span> : <pre>{text}</pre>;
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === "") return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}
