import type { Deployment } from "../../../../client/index.ts";
import { Copyable } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { RelativeTime } from "../../../components/time.tsx";

export function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { name, url, projectName, branchName, loggingId, createdOn, updatedOn } = deployment;
  return (
    <Facts
      className="card"
      of={{
        Name: <Copyable text={name} />,
        Address: <Copyable text={url} />,
        Project: projectName,
        Branch: <code>{branchName}</code>,
        "Logging id": <Copyable text={loggingId} />,
        Created: <RelativeTime time={createdOn} />,
        Changed: <RelativeTime time={updatedOn} />,
      }}
    />
  );
}
