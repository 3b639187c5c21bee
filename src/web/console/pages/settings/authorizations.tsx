import { useState } from "react";
import type { Authorization } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { actionsColumn, List } from "../../../components/table.tsx";
import { DayTime, RelativeTime } from "../../../components/time.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";

const listed = 100;

/** What customers have authorized programs to do. */
export function Authorizations({ bucket }: { bucket: string }) {
  const { deniedEdit } = useSession();
  const [ending, setEnding] = useState<Authorization>();
  const authorizations = useRead(["authorizations", bucket], (api, { signal }) =>
    api.portal(bucket).authorizations({ limit: listed, signal }).page(),
  );
  const total = authorizations.data?.total ?? 0;
  return (
    <section className="stack stack-tight">
      <h2>Authorized programs</h2>
      <List
        caption="Authorized programs"
        of={authorizations}
        empty={<p className="muted">No customer has authorized a program yet.</p>}
        columns={[
          { label: "Program", render: ({ client }) => <span className="wrap-anywhere">{client.name}</span> },
          { label: "Customer", render: ({ consumer }) => <span className="wrap-anywhere">{consumer.name}</span> },
          {
            label: "Permissions",
            render: ({ permissions }) =>
              permissions.length === 0 ? <span className="muted">None</span> : permissions.join(", "),
          },
          { label: "By", render: ({ subject }) => <span className="wrap-anywhere">{subject}</span> },
          { label: "Since", render: ({ createdOn }) => <DayTime time={createdOn} /> },
          { label: "Expires", render: ({ expiresOn }) => <RelativeTime time={expiresOn} /> },
          actionsColumn((authorization: Authorization) => (
            <Button
              isSmall
              denied={deniedEdit}
              aria-label={`End ${authorization.client.name} of ${authorization.consumer.name}`}
              onClick={() => setEnding(authorization)}
            >
              End…
            </Button>
          )),
        ]}
      />
      {total > listed && (
        <p className="muted">The newest {listed} are shown. `tollgate authorizations list` shows all.</p>
      )}
      {ending && (
        <ConfirmCall
          title={`End ${ending.client.name} of ${ending.consumer.name}?`}
          action="End authorization"
          call={(api) => api.portal(bucket).endAuthorization(ending.id)}
          onClose={() => setEnding(undefined)}
        >
          Its requests fail immediately. The customer can authorize it again.
        </ConfirmCall>
      )}
    </section>
  );
}
