import { useState } from "react";
import { BuildError, type Deployment } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { CancelButton, Dialog } from "../../../components/dialog.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { useUnmounted } from "../../../lib/use-unmounted.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { BuildErrors, BuildProgress, type Steps } from "./build-progress.tsx";

interface Props {
  deployment: Deployment;
  onClose: () => void;
}

/** Builds the stored source again, and shows the progress. */
export function Redeploy({ deployment: { name, projectName }, onClose }: Props) {
  const [steps, setSteps] = useState<Steps>({});
  const isUnmounted = useUnmounted();
  const build = useCall({
    call: async (api) => {
      const { statusId } = await api.deployments.redeploy(name);
      return api.deployments.waitFor(projectName, statusId, {
        onStep: ({ name: step, ...state }) => setSteps((known) => ({ ...known, [step]: state })),
      });
    },
    done: `${projectName} is live`,
    onSuccess: () => {
      if (!isUnmounted.current) onClose();
    },
    onError: (error) => {
      if (isUnmounted.current) toast(`${projectName} was not deployed. ${messageOf(error)}`, "red");
    },
  });
  return (
    <Dialog
      title={`Build ${projectName} again`}
      onClose={onClose}
      onSubmit={() => build.mutate()}
      footStart={<CopyAs of={build} />}
      foot={
        <>
          <CancelButton onClose={onClose}>{build.isPending ? "Hide" : "Cancel"}</CancelButton>
          <Button type="submit" kind="primary" isBusy={build.isPending}>
            Build again
          </Button>
        </>
      }
    >
      {build.error instanceof BuildError ? (
        <Notice kind="error">{build.error.message}</Notice>
      ) : (
        build.error && <ErrorNotice error={build.error} />
      )}
      <p>
        The source that was uploaded last is built and started. The present version serves until the new one is ready.
      </p>
      {Object.keys(steps).length > 0 && <BuildProgress steps={steps} />}
      {build.error instanceof BuildError && <BuildErrors errors={build.error.errors} />}
    </Dialog>
  );
}
