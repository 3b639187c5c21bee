import { useState } from "react";
import { BuildError } from "../../../../client/index.ts";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { useUnmounted } from "../../../lib/use-unmounted.ts";
import { useCall } from "../../shell/requests.tsx";
import type { ShownError, Steps } from "./build-progress.tsx";
import { filesIn } from "./project-source.ts";

/** Reads lines of files in a gzip tar, for build errors. Returns nothing if the data is not such an archive. */
async function lineOfArchive(archive: Blob, file: string, line: number): Promise<string | undefined> {
  try {
    const found = (await filesIn(archive)).find(({ path }) => path === file || path.endsWith(`/${file}`));
    return found && new TextDecoder().decode(found.data).split("\n")[line - 1];
  } catch {
    return undefined;
  }
}

interface Upload {
  archive: Blob | Promise<Blob>;
  project: string;
  branch: string;
  note?: string;
  /** The version that must still be live. */
  basedOn?: number;
}

/** Uploads, builds and starts a project. `onDeployed` is not called after the dialog was hidden. */
export function useDeploy(onDeployed: (name: string) => void) {
  const isUnmounted = useUnmounted();
  const [steps, setSteps] = useState<Steps>({});
  const [errors, setErrors] = useState<ShownError[]>([]);
  const deploy = useCall({
    call: async (api, { archive, ...upload }: Upload) => {
      setSteps({ upload: { status: "IN_PROGRESS" } });
      setErrors([]);
      return api.deploy(await archive, {
        ...upload,
        onStep: ({ name, ...step }) => setSteps((known) => ({ ...known, [name]: step })),
      });
    },
    done: (_, { project }) => `${project} is live`,
    onSuccess: ({ name }) => {
      if (!isUnmounted.current) onDeployed(name);
    },
    onError: async (error, { archive, project }) => {
      if (isUnmounted.current) return toast(`${project} was not deployed. ${messageOf(error)}`, "red");
      if (!(error instanceof BuildError)) return setSteps({});
      setErrors(
        await Promise.all(
          error.errors.map(async (found) => ({
            ...found,
            source: await lineOfArchive(await archive, found.file, found.line),
          })),
        ),
      );
    },
  });
  return { deploy, steps, errors, isStarted: Object.keys(steps).length > 0 };
}
