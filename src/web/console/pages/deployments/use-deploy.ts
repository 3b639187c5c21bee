import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { BuildError } from "../../../../client/index.ts";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { useLeft } from "../../../lib/use-left.ts";
import { useSession } from "../../queries/session.tsx";
import { lineOfArchive } from "./archive-lines.ts";
import type { ShownError, Steps } from "./build-progress.tsx";

interface Upload {
  archive: Blob;
  project: string;
  branch: string;
  note?: string;
}

/** Uploads, builds and starts a project. `onDeployed` is not called after the dialog was hidden. */
export function useDeploy(onDeployed: (name: string) => void) {
  const hasLeft = useLeft();
  const { api } = useSession();
  const queries = useQueryClient();
  const [steps, setSteps] = useState<Steps>({});
  const [errors, setErrors] = useState<ShownError[]>([]);
  const deploy = useMutation({
    mutationFn: async ({ archive, project, branch, note }: Upload) => {
      setSteps({ upload: { status: "IN_PROGRESS" } });
      setErrors([]);
      return api.deploy(archive, {
        project,
        branch,
        note,
        onStep: ({ name, ...step }) => setSteps((known) => ({ ...known, [name]: step })),
      });
    },
    onSuccess: ({ name }, { project }) => {
      queries.invalidateQueries({ queryKey: ["deployments"] });
      queries.invalidateQueries({ queryKey: ["deployment", name] });
      toast(`${project} is live`);
      if (!hasLeft.current) onDeployed(name);
    },
    onError: async (error, { archive, project }) => {
      queries.invalidateQueries({ queryKey: ["deployments"] });
      if (hasLeft.current) return toast(`${project} was not deployed. ${messageOf(error)}`, "red");
      if (!(error instanceof BuildError)) return setSteps({});
      setErrors(
        await Promise.all(
          error.errors.map(async (found) => ({
            ...found,
            source: await lineOfArchive(archive, found.file, found.line),
          })),
        ),
      );
    },
  });
  return { deploy, steps, errors, isStarted: Object.keys(steps).length > 0 };
}
