import type { ComponentProps } from "react";
import { TextField } from "../../components/field.tsx";

/** The external id that was entered, by default made from the label: "pro-plus" for "Pro Plus". */
export function externalIdOf(entered: string, label: string, otherwise: string): string {
  return entered.trim() || (label.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("-") || otherwise;
}

/** Folded away: the id is made from the label, unless one is entered. */
export function ExternalIdField(props: Omit<ComponentProps<typeof TextField>, "label">) {
  return (
    <details className="fold" open={props.error !== undefined || undefined}>
      <summary>Advanced</summary>
      <TextField label="External id" isMono isOptional {...props} />
    </details>
  );
}
