import type { Deployment } from "../../../../client/index.ts";
import { Copyable } from "../../../components/copy.tsx";
import { RelativeTime } from "../../../components/time.tsx";

export function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { name, url, projectName, branchName, loggingId, createdOn, updatedOn } = deployment;
  return (
    <dl className="facts card">
      <dt>Name</dt>
      <dd>
        <Copyable text={name} />
      </dd>
      <dt>Address</dt>
      <dd>
        <Copyable text={url} />
      </dd>
      <dt>Project</dt>
      <dd>{projectName}</dd>
      <dt>Branch</dt>
      <dd>
        <code>{branchName}</code>
      </dd>
      <dt>Logging id</dt>
      <dd>
        <Copyable text={loggingId} />
      </dd>
      <dt>Created</dt>
      <dd>
        <RelativeTime time={createdOn} />
      </dd>
      <dt>Changed</dt>
      <dd>
        <RelativeTime time={updatedOn} />
      </dd>
    </dl>
  );
}
