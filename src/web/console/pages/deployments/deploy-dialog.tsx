import { Circle, CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { useState } from "react";
import {
  BuildError,
  type BuildMessage,
  type Deployment,
  type DeploymentStep,
  type StepName,
} from "../../../../client/index.ts";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindForm, TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { formatMs } from "../../../lib/format.ts";
import { command } from "../../../lib/shell.ts";
import { useUnmounted } from "../../../lib/use-unmounted.ts";
import { CallDialog, CopyAs, useCall } from "../../shell/requests.tsx";
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
  const [form, setForm] = useState({ project: givenProject || nameOf(props.source), branch: givenBranch, note: "" });
  const { project, branch, note } = form;
  const [source, setSource] = useState(props.source);
  const archive = source?.archive;
  const take = (given: ProjectSource) => {
    setSource(given);
    if (project === "") setForm({ ...form, project: nameOf(given) });
  };
  const { deploy, build } = useDeploy(onDeployed);
  const { field } = bindForm(form, setForm, deploy.errors);
  return (
    <FormDialog
      title="Deploy"
      isWide
      mutation={deploy}
      submit="Deploy"
      cancel={deploy.isPending ? "Hide" : "Cancel"}
      disabled={!archive || project === ""}
      hasOwnError
      onClose={onClose}
      onSubmit={() => archive && deploy.mutate({ archive, ...form })}
      footStart={
        <CopyAs
          call={(api) => api.deploy(new Uint8Array(), { project, branch, note: note || undefined })}
          uploads={source && !source.isFolder ? source.name : "project.tar.gz"}
          command={command(
            ...["deploy", source?.isFolder ? source.name : ".", "--project", project, "--branch", branch],
            ...(note ? ["--note", note] : []),
          )}
        />
      }
    >
      <DeployError
        error={deploy.error}
        hint="The previous version keeps serving. Correct the project and drop it again."
      />
      <div className="form-grid">
        <TextField
          label="Project"
          isMono
          placeholder="orders"
          disabled={givenProject !== ""}
          {...field("project", "/projectName")}
        />
        <TextField
          label="Branch"
          isMono
          hint="main is production, every other a preview."
          {...field("branch", "/branchName")}
        />
      </div>
      <TextField
        label="Note"
        isOptional
        placeholder="Limit orders to 100 a minute"
        hint="Shown in the list of versions."
        {...field("note")}
      />
      <ProjectDrop source={source} onSource={take} />
      <BuildView {...build} />
    </FormDialog>
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

/** Why a deployment failed. What is wrong in the files is shown with the build. */
export function DeployError({ error, hint = "" }: { error: unknown; hint?: string }) {
  if (error instanceof BuildError)
    return (
      <Notice kind="error">
        {error.message} {hint}
      </Notice>
    );
  return Boolean(error) && <ErrorNotice error={error} />;
}

interface Build {
  steps: Steps;
  errors: ShownError[];
}

/** The steps of a build, once it has started, and its errors: the file with the line, a caret under the column, and the message. */
export function BuildView({ steps, errors }: Build) {
  return (
    <>
      {Object.keys(steps).length > 0 && <BuildProgress steps={steps} />}
      {errors.length > 0 && <BuildErrors errors={errors} />}
    </>
  );
}

function BuildProgress({ steps }: Pick<Build, "steps">) {
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

function BuildErrors({ errors }: Pick<Build, "errors">) {
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
  return { deploy, build: { steps, errors } };
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
    <CallDialog
      title={`Build ${projectName} again`}
      of={build}
      submit="Build again"
      cancel={build.isPending ? "Hide" : "Cancel"}
      hasOwnError
      onClose={onClose}
    >
      <DeployError error={build.error} />
      <p>
        The source that was uploaded last is built and started. The present version serves until the new one is ready.
      </p>
      <BuildView steps={steps} errors={build.error instanceof BuildError ? build.error.errors : []} />
    </CallDialog>
  );
}
