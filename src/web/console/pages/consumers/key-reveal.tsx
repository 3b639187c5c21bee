import { useQuery } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { shellWord } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";

interface KeyRevealProps {
  value: string;
  consumer: string;
  /** Shown at somebody's wish, of a bucket that keeps values. */
  isAgain?: boolean;
  onClose: () => void;
}

/** The moment in which a key's value is shown. */
export function KeyReveal({ value, consumer, isAgain, onClose }: KeyRevealProps) {
  const { api } = useSession();
  const deployments = useQuery({
    queryKey: ["deployments", "first"],
    queryFn: ({ signal }) => api.deployments.listAll({ limit: 1, signal }).page(),
  });
  const url = deployments.data?.data[0]?.url ?? "https://your-gateway.example";
  return (
    <Dialog
      title={`Key of ${consumer}`}
      isWide
      isStubborn={!isAgain}
      onClose={onClose}
      foot={
        <Button kind="primary" onClick={onClose}>
          {isAgain ? "Close" : "I have stored it"}
        </Button>
      }
    >
      {isAgain ? (
        <Notice>That you looked at it is in the audit log.</Notice>
      ) : (
        <Notice kind="warning">Copy the value now and hand it over by a safe way. It may not be shown again.</Notice>
      )}
      <Code text={value} isSecret />
      <div className="stack stack-tight">
        <h3>Try it</h3>
        <Code text={`curl ${shellWord(`${url}/`)} -H ${shellWord(`Authorization: Bearer ${value}`)}`} />
      </div>
    </Dialog>
  );
}
