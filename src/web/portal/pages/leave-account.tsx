import { useState } from "react";
import type { PortalSession } from "../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../components/button.tsx";
import { DeleteAccount } from "./plan-dialogs.tsx";
import { allScopes } from "./scopes.ts";

/** For managers who may do everything. */
export function LeaveAccount({ session }: { session: PortalSession }) {
  const [isOpen, setOpen] = useState(false);
  if (!session.isManager || !allScopes.every((scope) => session.scopes.includes(scope))) return null;
  return (
    <>
      <p className="muted small">
        Leaving for good?{" "}
        <Button kind="quiet" isSmall onClick={() => setOpen(true)}>
          Delete account…
        </Button>
      </p>
      {isOpen && <DeleteAccount name={session.consumer.name} onClose={() => setOpen(false)} />}
    </>
  );
}
