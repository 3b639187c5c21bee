import type { ApiKey } from "../../../../client/index.ts";
import { curlOf } from "../../../../lib/text/curl.ts";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { exampleRequest, isLive } from "../../queries/gateway.ts";
import { useRead } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";

type KeyRestrictions = Pick<ApiKey, "permissions" | "allowedIps" | "isEnabled">;

interface KeyRevealProps {
  value: string;
  consumer: string;
  bucket: string;
  /** The restrictions of the key. */
  rules?: KeyRestrictions | undefined;
  /** Set if the user revealed the stored value of an existing key. */
  again?: { id: string };
  onClose: () => void;
}

/** Shows the value of a key. */
export function KeyReveal({ value, consumer, bucket, rules, again, onClose }: KeyRevealProps) {
  const permissions = rules?.permissions ?? [];
  const example = useRead(["deployments", "example", bucket, permissions], async (api, { signal }) => {
    const { data } = await api.deployments.listAll({ limit: 10, signal }).page();
    for (const live of data.filter(isLive)) {
      const found = await exampleRequest(api, live, { bucket, permissions, signal });
      if (found) return found;
    }
    return null;
  });
  return (
    <Dialog
      title={`Key of ${consumer}`}
      isWide
      isStubborn={!again}
      onClose={onClose}
      footStart={again && <CopyAs call={(api) => api.keys(bucket, consumer).get(again.id, { keyFormat: "visible" })} />}
      closeLabel={again ? "Close" : "I have stored it"}
    >
      {again ? (
        <Notice>This access is recorded in the audit log.</Notice>
      ) : (
        <Notice kind="warning">Copy the value now and send it over a safe channel. It may not be shown again.</Notice>
      )}
      <Code text={value} isSecret />
      {example.data && (
        <div className="stack stack-tight">
          <h3>Try it</h3>
          <Code text={curlOf(example.data, value)} />
          {rules && <Restrictions {...rules} />}
        </div>
      )}
      {example.data === null && <p className="muted small">No live route accepts this key yet.</p>}
    </Dialog>
  );
}

/** Why the request may be rejected although the route accepts the key. */
function Restrictions({ allowedIps = [], isEnabled }: KeyRestrictions) {
  return (
    <>
      {!isEnabled && <p className="muted small">The key is disabled: requests are rejected until it is enabled.</p>}
      {allowedIps.length > 0 && <p className="muted small">The key is accepted only from {allowedIps.join(", ")}.</p>}
    </>
  );
}
