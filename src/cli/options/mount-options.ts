import type { Mount } from "../../client/index.ts";
import type { Option } from "../arguments/command.ts";
import { listOption, named, option } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

const placeholder = "PATH=NAME[,strip]";

/** `--deployment NAME`, or `--mount /billing=NAME,strip` for several deployments. */
export const deploymentOptions: { deployment: Option<string | undefined>; mount: Option<Mount[]> } = {
  deployment: option("the deployment that serves all paths", named("NAME")),
  mount: listOption("the deployment that serves a path; with `,strip` it sees the rest of the path", {
    placeholder,
    parse(text) {
      // The name has no `=`; the path may have one.
      const middle = text.lastIndexOf("=");
      const [, deploymentName, strip] = /^([^,]+)(,strip)?$/.exec(text.slice(middle + 1)) ?? [];
      if (middle < 1 || deploymentName === undefined) throw new UsageError(`must be ${placeholder}, not "${text}"`);
      return { path: text.slice(0, middle), deploymentName, ...(strip ? { stripPath: true } : {}) };
    },
  }),
};

/** The fields of the request. Throws unless exactly one of the options was given. */
export function deploymentsOf({ deployment, mount }: { deployment: string | undefined; mount: Mount[] }) {
  if (mount.length === 0 && deployment === undefined) throw new UsageError("give --deployment or --mount");
  if (mount.length > 0 && deployment !== undefined)
    throw new UsageError(`--deployment and --mount exclude each other: use --mount /=${deployment}`);
  return deployment === undefined ? { mounts: mount } : { deploymentName: deployment };
}
