import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { BuildError } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt, fieldErrors, messageOf } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { useLeft } from "../../../lib/use-left.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { lineOfArchive } from "./archive-lines.ts";
import { BuildErrors, BuildProgress, type ShownError, type Steps } from "./build-progress.tsx";
import { ProjectDrop } from "./project-drop.tsx";
import type { ProjectSource } from "./project-source.ts";

interface Props {
  project?: string;
  branch?: string;
  /** The folder or archive that was dropped on the page. */
  source?: ProjectSource | undefined;
  onClose: () => void;
  onDeployed: (name: string) => void;
}

/** Uploads, builds and starts a folder or archive, and shows the progress. */
export function DeployDialog({ project: givenProject = "", branch: givenBranch = "main", ...props }: Props) {
  const { onClose, onDeployed } = props;
  const hasLeft = useLeft();
  const { api, account } = useSession();
  const queries = useQueryClient();
  const [project, setProject] = useState(givenProject || nameOf(props.source));
  const [branch, setBranch] = useState(givenBranch);
  const [source, setSource] = useState(props.source);
  const archive = source?.archive;
  const take = (given: ProjectSource) => {
    setSource(given);
    if (project === "") setProject(nameOf(given));
  };
  const [steps, setSteps] = useState<Steps>({});
  const [errors, setErrors] = useState<ShownError[]>([]);
  const deploy = useMutation({
    mutationFn: async () => {
      setSteps({ upload: { status: "IN_PROGRESS" } });
      setErrors([]);
      return api.deploy(archive!, {
        project,
        branch,
        onStep: ({ name, ...step }) => setSteps((known) => ({ ...known, [name]: step })),
      });
    },
    onSuccess: ({ name }) => {
      queries.invalidateQueries({ queryKey: ["deployments"] });
      queries.invalidateQueries({ queryKey: ["deployment", name] });
      toast(`${project} is live`);
      // After the dialog was hidden, the user is not redirected.
      if (!hasLeft.current) onDeployed(name);
    },
    onError: async (error) => {
      queries.invalidateQueries({ queryKey: ["deployments"] });
      if (hasLeft.current) return toast(`${project} was not deployed. ${messageOf(error)}`, "red");
      if (!(error instanceof BuildError)) return setSteps({});
      setErrors(
        await Promise.all(
          error.errors.map(async (found) => ({
            ...found,
            source: await lineOfArchive(archive!, found.file, found.line),
          })),
        ),
      );
    },
  });
  const fields = fieldErrors(deploy.error);
  const isStarted = Object.keys(steps).length > 0;
  return (
    <Dialog
      title="Deploy"
      isWide
      onClose={onClose}
      onSubmit={() => archive && deploy.mutate()}
      footStart={
        <CopyAs
          request={{
            method: "POST",
            path: "/v1/deployments/sources",
            body: { accountName: account, projectName: project, branchName: branch },
            uploads: source && !source.isFolder ? source.name : "project.tar.gz",
          }}
          command={command("deploy", source?.isFolder ? source.name : ".", "--project", project, "--branch", branch)}
        />
      }
      foot={
        <>
          <Button onClick={onClose}>{deploy.isPending ? "Hide" : "Cancel"}</Button>
          <Button type="submit" kind="primary" isBusy={deploy.isPending} disabled={!archive || project === ""}>
            Deploy
          </Button>
        </>
      }
    >
      {deploy.error && !(deploy.error instanceof BuildError) && <ErrorNotice error={deploy.error} />}
      {deploy.error instanceof BuildError && (
        <Notice kind="error">
          {deploy.error.message} What served before goes on serving. Correct the project and drop it again.
        </Notice>
      )}
      <div className="form-grid">
        <TextField
          label="Project"
          isMono
          placeholder="orders"
          value={project}
          disabled={givenProject !== ""}
          error={errorAt(fields, "/projectName")}
          onChange={(event) => setProject(event.target.value)}
        />
        <TextField
          label="Branch"
          isMono
          value={branch}
          hint="main is production, every other a preview."
          error={errorAt(fields, "/branchName")}
          onChange={(event) => setBranch(event.target.value)}
        />
      </div>
      <ProjectDrop source={source} onSource={take} />
      {isStarted && <BuildProgress steps={steps} />}
      {errors.length > 0 && <BuildErrors errors={errors} />}
    </Dialog>
  );
}

/** The name of the folder or archive, as in the CLI. */
function nameOf(source: ProjectSource | undefined): string {
  const name = source?.name.toLowerCase().replace(/\.(tar\.gz|tgz)$/, "") ?? "";
  const words = name.match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, 40).replace(/-$/, "");
}
