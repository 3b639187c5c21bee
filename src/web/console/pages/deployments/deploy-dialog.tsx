import { Circle, CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { useState } from "react";
import {
  BuildError,
  type BuildMessage,
  type Deployment,
  type DeploymentStep,
  type StepName,
} from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { CancelButton, Dialog } from "../../../components/dialog.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt, fieldErrors, messageOf } from "../../../lib/errors.ts";
import { formatMs } from "../../../lib/format.ts";
import { command } from "../../../lib/shell.ts";
import { useUnmounted } from "../../../lib/use-unmounted.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { ProjectDrop } from "./project-drop.tsx";
import { filesIn, type ProjectSource } from "./project-source.ts";

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

type Steps = Partial<Record<StepName, DeploymentStep>>;

const stepLabels: [StepName, string][] = [
  ["upload", "Upload"],
  ["unpack", "Unpack"],
  ["validate", "Validate"],
  ["build", "Build"],
  ["start", "Start"],
];

const icons = { PENDING: Circle, IN_PROGRESS: LoaderCircle, SUCCESS: CircleCheck, ERROR: CircleAlert };
const statusLabels = { PENDING: "waiting", IN_PROGRESS: "under way", SUCCESS: "done", ERROR: "failed" };

export function BuildProgress({ steps }: { steps: Steps }) {
  return (
    <ol className="build-steps" aria-label="Steps" aria-live="polite">
      {stepLabels.map(([name, label]) => {
        const { status = "PENDING", startedOn, finishedOn, message } = steps[name] ?? {};
        const Icon = icons[status];
        const durationMs = startedOn && finishedOn && new Date(finishedOn).getTime() - new Date(startedOn).getTime();
        return (
          <li className="build-step" data-status={status} key={name}>
            <Icon size={16} aria-hidden />
            <span>
              {label} {status === "ERROR" && message && <span className="muted">{message}</span>}
            </span>
            <span className="muted number">{durationMs ? formatMs(durationMs) : statusLabels[status]}</span>
          </li>
        );
      })}
    </ol>
  );
}

interface ShownError extends BuildMessage {
  /** The source line, if the archive is available. */
  source?: string | undefined;
}

/** Each error: the file with the line, a caret under the column, and the message. */
export function BuildErrors({ errors }: { errors: ShownError[] }) {
  return (
    <div className="stack stack-tight">
      {errors.map(({ file, line, column, message, source }) => (
        <div className="build-error" key={`${file}:${line}:${column}:${message}`}>
          <div className="build-error-head mono">{line > 0 ? `${file}:${line}:${column}` : file || "archive"}</div>
          {source !== undefined && (
            <pre className="code">
              {`${String(line).padStart(4)} │ ${source}\n${" ".repeat(4)} │ ${" ".repeat(Math.max(column - 1, 0))}^`}
            </pre>
          )}
          <p>{message}</p>
        </div>
      ))}
    </div>
  );
}

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

interface RedeployProps {
  deployment: Deployment;
  onClose: () => void;
}

/** Builds the stored source again, and shows the progress. */
export function Redeploy({ deployment: { name, projectName }, onClose }: RedeployProps) {
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
