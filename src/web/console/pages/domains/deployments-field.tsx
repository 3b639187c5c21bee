import { Plus, Trash2 } from "lucide-react";
import type { Mount } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Checkbox, SelectField, TextField } from "../../../components/field.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { useRead } from "../../queries/session.tsx";

export function useDeployments() {
  return useRead(["deployments", "all"], (api, { signal }) => api.deployments.listAll({ signal }).all());
}

/** The fields of a request: one mount at `/` is a deployment alone. */
export function deploymentsOf(mounts: Mount[]): { deploymentName: string } | { mounts: Mount[] } {
  const [first, ...more] = mounts;
  return more.length === 0 && first?.path === "/" ? { deploymentName: first.deploymentName } : { mounts };
}

/** The same as options of `tollgate domains`. */
export function mountOptions(mounts: Mount[]): string[] {
  const fields = deploymentsOf(mounts);
  if ("deploymentName" in fields) return ["--deployment", fields.deploymentName];
  return mounts.flatMap(({ path, deploymentName, stripPath }) => [
    "--mount",
    `${path}=${deploymentName}${stripPath ? ",strip" : ""}`,
  ]);
}

interface Props {
  mounts: Mount[];
  errors: Record<string, string>;
  onChange: (mounts: Mount[]) => void;
}

/** The deployment of a domain. Paths appear as soon as there are several, or the only one is not at `/`. */
export function DeploymentsField({ mounts, errors, onChange }: Props) {
  const deployments = useDeployments();
  const isOne = mounts.length === 1 && mounts[0]!.path === "/";
  const replace = (index: number, change: Partial<Mount>) =>
    onChange(mounts.map((mount, at) => (at === index ? { ...mount, ...change } : mount)));
  const names = new Set([
    ...(deployments.data ?? []).map(({ name }) => name),
    ...mounts.map(({ deploymentName }) => deploymentName),
  ]);
  const options = [...names].filter((name) => name !== "").map((name) => ({ value: name, label: name }));
  return (
    <>
      {deployments.error && <ErrorNotice error={deployments.error} />}
      {mounts.map((mount, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Rows have no other identity while they are edited.
        <fieldset className="mount-fields" key={index} aria-label={isOne ? "Deployment" : `Mount ${index + 1}`}>
          {!isOne && (
            <TextField
              label="Path"
              isMono
              placeholder="/billing"
              value={mount.path}
              error={errorAt(errors, `/mounts/${index}/path`)}
              onChange={(event) => replace(index, { path: event.target.value })}
            />
          )}
          <SelectField
            label="Deployment"
            value={mount.deploymentName}
            error={
              errorAt(errors, `/mounts/${index}/deploymentName`) ??
              (isOne ? errorAt(errors, "/deploymentName") : undefined)
            }
            options={options}
            onChange={(event) => replace(index, { deploymentName: event.target.value })}
          />
          {!isOne && (
            <div className="row row-between mount-actions">
              {mount.path === "/" ? (
                <span className="muted">Serves all other paths</span>
              ) : (
                <Checkbox
                  label="Hide the path from the deployment"
                  checked={mount.stripPath === true}
                  onChange={(event) => replace(index, { stripPath: event.target.checked || undefined })}
                />
              )}
              <Button
                icon={Trash2}
                kind="quiet"
                isIcon
                aria-label={`Remove the mount ${mount.path}`}
                disabled={mounts.length === 1}
                onClick={() => onChange(mounts.filter((_, at) => at !== index))}
              />
            </div>
          )}
        </fieldset>
      ))}
      <div>
        <Button
          icon={Plus}
          onClick={() => onChange([...mounts, { path: "", deploymentName: mounts.at(-1)?.deploymentName ?? "" }])}
        >
          Add a path for another deployment
        </Button>
      </div>
    </>
  );
}
