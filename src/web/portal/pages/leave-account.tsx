import { useState } from "react";
import type { PortalSession } from "../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { call } from "../queries/api.ts";
import { leave } from "../queries/session.ts";
import { allScopes } from "./scopes.ts";

/** For managers who may do everything. */
export function LeaveAccount({ session }: { session: PortalSession }) {
  const [isOpen, setOpen] = useState(false);
  if (!session.isManager || !allScopes.every((scope) => session.scopes.includes(scope))) return null;
  const { name } = session.consumer;
  return (
    <>
      <p className="muted small">
        Leaving for good?{" "}
        <Button kind="quiet" isSmall onClick={() => setOpen(true)}>
          Delete account…
        </Button>
      </p>
      {isOpen && (
        <Confirm
          title="Delete account"
          action={`Delete ${name}`}
          typed={name}
          run={() => call("deletePortalAccount")}
          onDone={leave}
          onClose={() => setOpen(false)}
        >
          <p>
            All keys stop working now, the plan ends now with a final invoice, and no one can sign in any more. You
            cannot create another account for 31 days.
          </p>
          <p>Nothing is refunded, and this cannot be undone.</p>
        </Confirm>
      )}
    </>
  );
}
