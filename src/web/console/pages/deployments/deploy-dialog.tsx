import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { BuildError } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { formatBytes } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";
import { lineOfArchive } from "./archive-lines.ts";
import { BuildErrors, BuildProgress, type ShownError, type Steps } from "./build-progress.tsx";

interface Props {
  project?: string;
  branch?: string;
  onClose: () => void;
  onDeployed: (name: string) => void;
}

/** An archive dropped here is uploaded, built and started while one watches. */
export function DeployDialog({ project: givenProject = "", branch: givenBranch = "main", onClose, onDeployed }: Props) {
  const { api } = useSession();
  const queries = useQueryClient();
  const [project, setProject] = useState(givenProject);
  const [branch, setBranch] = useState(givenBranch);
  const [archive, setArchive] = useState<File>();
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
      onDeployed(name);
    },
    onError: async (error) => {
      queries.invalidateQueries({ queryKey: ["deployments"] });
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
      title="Deploy an archive"
      isWide
      onClose={onClose}
      onSubmit={() => archive && deploy.mutate()}
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
      <DropZone archive={archive} onArchive={setArchive} />
      {isStarted && <BuildProgress steps={steps} />}
      {errors.length > 0 && <BuildErrors errors={errors} />}
    </Dialog>
  );
}

function DropZone({ archive, onArchive }: { archive: File | undefined; onArchive: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => files?.[0] && onArchive(files[0]);
  const drag = (over: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(over);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same for keyboards
    <div
      className="drop"
      data-over={isOver || undefined}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        take(event.dataTransfer.files);
      }}
    >
      <Upload size={20} aria-hidden />
      {archive ? (
        <span>
          <span className="strong">{archive.name}</span>, {formatBytes(archive.size)}
        </span>
      ) : (
        <span>Drop a .tar.gz of the project here</span>
      )}
      <Button isSmall onClick={() => input.current?.click()}>
        Choose file
      </Button>
      <input
        ref={input}
        className="visually-hidden"
        type="file"
        aria-label="Archive"
        tabIndex={-1}
        accept=".tar.gz,.tgz,application/gzip"
        onChange={(event) => take(event.target.files)}
      />
    </div>
  );
}
