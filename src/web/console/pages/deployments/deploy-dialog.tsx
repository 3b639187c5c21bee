import { useState } from "react";
import { BuildError } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { CancelButton, Dialog } from "../../../components/dialog.tsx";
import { TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { command } from "../../../lib/shell.ts";
import { CopyAs } from "../../shell/requests.tsx";
import { BuildErrors, BuildProgress } from "./build-progress.tsx";
import { ProjectDrop } from "./project-drop.tsx";
import type { ProjectSource } from "./project-source.ts";
import { useDeploy } from "./use-deploy.ts";

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
  const [project, setProject] = useState(givenProject || nameOf(props.source));
  const [branch, setBranch] = useState(givenBranch);
  const [note, setNote] = useState("");
  const [source, setSource] = useState(props.source);
  const archive = source?.archive;
  const take = (given: ProjectSource) => {
    setSource(given);
    if (project === "") setProject(nameOf(given));
  };
  const { deploy, steps, errors, isStarted } = useDeploy(onDeployed);
  const fields = fieldErrors(deploy.error);
  return (
    <Dialog
      title="Deploy"
      isWide
      onClose={onClose}
      onSubmit={() => archive && deploy.mutate({ archive, project, branch, note })}
      footStart={
        <CopyAs
          call={(api) => api.deploy(new Uint8Array(), { project, branch, ...(note ? { note } : {}) })}
          uploads={source && !source.isFolder ? source.name : "project.tar.gz"}
          command={command(
            ...["deploy", source?.isFolder ? source.name : ".", "--project", project, "--branch", branch],
            ...(note ? ["--note", note] : []),
          )}
        />
      }
      foot={
        <>
          <CancelButton onClose={onClose}>{deploy.isPending ? "Hide" : "Cancel"}</CancelButton>
          <Button type="submit" kind="primary" isBusy={deploy.isPending} disabled={!archive || project === ""}>
            Deploy
          </Button>
        </>
      }
    >
      {deploy.error && !(deploy.error instanceof BuildError) && <ErrorNotice error={deploy.error} />}
      {deploy.error instanceof BuildError && (
        <Notice kind="error">
          {deploy.error.message} The previous version keeps serving. Correct the project and drop it again.
        </Notice>
      )}
      <div className="form-grid">
        <TextField
          label="Project"
          isMono
          placeholder="orders"
          disabled={givenProject !== ""}
          {...bindInput(project, setProject, errorAt(fields, "/projectName"))}
        />
        <TextField
          label="Branch"
          isMono
          hint="main is production, every other a preview."
          {...bindInput(branch, setBranch, errorAt(fields, "/branchName"))}
        />
      </div>
      <TextField
        label="Note"
        isOptional
        placeholder="Limit orders to 100 a minute"
        hint="Shown in the list of versions."
        {...bindInput(note, setNote, errorAt(fields, "/note"))}
      />
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
