import type { ReactNode } from "react";
import { Button } from "../../../components/button.tsx";

/** An action on a row of a table, as an icon. */
export function Action({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <Button kind="quiet" isSmall isIcon aria-label={label} title={label} onClick={onClick}>
      {children}
    </Button>
  );
}
