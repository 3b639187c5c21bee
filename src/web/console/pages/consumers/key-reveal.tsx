import { useQuery } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { curlOf } from "../../../lib/curl.ts";
import { command } from "../../../lib/shell.ts";
import { exampleRequest, isLive } from "../../queries/gateway.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";

interface KeyRevealProps {
  value: string;
  consumer: string;
  bucket: string;
  /** Set if the user revealed the stored value of an existing key. */
  again?: { id: string };
  onClose: () => void;
}

/** Shows the value of a key. */
export function KeyReveal({ value, consumer, bucket, again, onClose }: KeyRevealProps) {
  const { api, account } = useSession();
  const example = useQuery({
    queryKey: ["deployments", "example", bucket],
    queryFn: async ({ signal }) => {
      const { data } = await api.deployments.listAll({ limit: 10, signal }).page();
      for (const live of data.filter(isLive)) {
        const found = await exampleRequest(api, live, { bucket, signal });
        if (found) return found;
      }
      return null;
    },
  });
  return (
    <Dialog
      title={`Key of ${consumer}`}
      isWide
      isStubborn={!again}
      onClose={onClose}
      footStart={
        again && (
          <CopyAs
            request={{
              path: `/v1/accounts/${account}/key-buckets/${bucket}/consumers/${consumer}/keys/${again.id}?key-format=visible`,
            }}
            command={command("keys", "show", consumer, again.id, "--bucket", bucket, "--key-format", "visible")}
          />
        )
      }
      foot={
        <Button kind="primary" onClick={onClose}>
          {again ? "Close" : "I have stored it"}
        </Button>
      }
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
        </div>
      )}
      {example.data === null && <p className="muted small">No live route accepts keys of the bucket {bucket} yet.</p>}
    </Dialog>
  );
}
