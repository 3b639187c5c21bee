import type { Deployment } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";

const failures = { BUILD_FAILED: "Last build failed", START_FAILED: "Last start failed" };

/** Whether the deployment serves, and the result of the last build. */
export function DeploymentState({ deployment: { state, message } }: { deployment: Deployment }) {
  return (
    <span className="row">
      {state === "STARTED" && <Badge tone="green">Live</Badge>}
      {state === "BUILDING" && <Badge tone="accent">Building</Badge>}
      {state === "PENDING" && <Badge>Waiting for an upload</Badge>}
      {state === "ERROR" && <Badge tone="red">Not serving</Badge>}
      {message !== "" && <Badge tone="red">{failures[message]}</Badge>}
    </span>
  );
}

export function Environment({ deployment: { environmentType } }: { deployment: Deployment }) {
  return environmentType === "PRODUCTION" ? (
    <Badge tone="accent">Production</Badge>
  ) : (
    <Badge tone="amber">Preview</Badge>
  );
}
