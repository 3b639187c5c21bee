import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Download, Plus } from "lucide-react";
import { useState } from "react";
import type { Deployment } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Dialog, FormDialog } from "../../../components/dialog.tsx";
import { Diff } from "../../../components/diff.tsx";
import { bindInput, Checkbox, TextField } from "../../../components/field.tsx";
import { Menu } from "../../../components/menu.tsx";
import { ErrorNotice, LoadError, Notice } from "../../../components/notice.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { download } from "../../../lib/download.ts";
import { placeOf } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { useKeyBuckets, useMeteringBuckets } from "../../queries/buckets.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { useMetersInUse } from "../plans/plan-meters.tsx";
import { BuildView, DeployError, useDeploy } from "./deploy-dialog.tsx";
import { ModeBadge } from "./observed.tsx";
import { OptionFields, type OptionSchema, optionOf, optionText } from "./policy-options.tsx";
import { type PolicySettings, type ProjectSettings, readSimpleProject, textOf } from "./project-source.ts";
import { ChangesInWords, changesBetween, useContents, useVersions } from "./versions.tsx";

/** What can be added, in the order in which the policies of a route should run. */
const additions: Record<string, { name: string; label: string }> = {
  cors: { name: "cors", label: "CORS: allow calls from web pages" },
  "api-key": { name: "key", label: "Key: require an API key" },
  "rate-limit": { name: "limit", label: "Rate limit: requests in a window" },
  quota: { name: "quota", label: "Quota: count against the customer's plan" },
  validate: { name: "validate", label: "Validation: reject what the document does not allow" },
  cache: { name: "cache", label: "Cache: answer repeated reads" },
};
const order = Object.keys(additions);
/** The parameter of the page for a policy that does not exist yet: the sign, then the type. */
const newSign = "+";

const observable = ["concurrency", "ip-filter", "permission", "quota", "rate-limit", "size-limit", "usage", "validate"];

/** The project of a version, if it can be changed here: null if it has modules. */
export function useSimpleProject(name: string, version: number | undefined) {
  const { canEdit } = useSession();
  return useRead(
    ["version", name, version, "source"],
    async (api, { signal }) => readSimpleProject(await api.deployments.source(name, version!, { signal })),
    {
      enabled: version !== undefined && canEdit,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    },
  );
}

/** Opens the dialog of a policy. */
export function useEditPolicy() {
  const navigate = useNavigate();
  return (policy: string | undefined) =>
    navigate({ to: ".", search: (old: object) => ({ ...old, policy }), resetScroll: false });
}

/** The policies of a simple project, to change them. Nothing for other projects, and without the right. */
export function Policies({ deployment: { name, activeVersion } }: { deployment: Deployment }) {
  const project = useSimpleProject(name, activeVersion);
  const edit = useEditPolicy();
  // Loaded before it is needed.
  usePolicyOptions();
  if (!project.data) return null;
  const { policies = {}, defaultPolicies = [] } = project.data.settings;
  const names = [...new Set([...defaultPolicies.filter((each) => each in policies), ...Object.keys(policies)])];
  return (
    <section className="card" aria-label="Policies">
      <div className="card-title">
        <h3>Policies</h3>
        <Menu
          trigger={
            <Button icon={Plus} isSmall>
              Add policy
            </Button>
          }
          actions={order.map((type) => ({
            label: additions[type]!.label,
            onSelect: () => edit(`${newSign}${type}`),
          }))}
        />
      </div>
      {names.length === 0 && <p className="muted">None: the routes are open to all callers.</p>}
      <ul className="stack stack-tight">
        {names.map((policy) => {
          const { type, options = {}, mode } = policies[policy]!;
          return (
            <li key={policy} className="row row-between">
              <div>
                <span className="row row-wrap">
                  <span className="strong">{policy}</span>
                  <Badge>{type}</Badge>
                  <ModeBadge policy={{ name: policy, type, ...(mode === "observe" && { mode }) }} />
                </span>
                <span className="small muted wrap-anywhere">
                  {Object.entries(options)
                    .map(([option, value]) => `${placeOf(`/${option}`).toLowerCase()} ${optionText(value)}`)
                    .join(" · ")}
                </span>
              </div>
              <Button isSmall aria-label={`Change ${policy}`} onClick={() => edit(policy)}>
                Change…
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface DialogProps {
  deployment: Deployment;
  /** A name, or the sign of a new one with its type. */
  policy: string;
  onClose: () => void;
}

/** Changes, adds or removes a policy: shows the difference, and deploys it unless another version became live. */
export function PolicyDialog({ deployment, policy, onClose }: DialogProps) {
  const { name, projectName: project, branchName: branch, activeVersion } = deployment;
  const queries = useQueryClient();
  const isNew = policy.startsWith(newSign);
  const newType = policy.slice(newSign.length);
  /** The version that was open, and is replaced. */
  const [base, setBase] = useState(activeVersion);
  const source = useSimpleProject(name, base);
  const schemas = usePolicyOptions();
  const [newName, setNewName] = useState(additions[newType]?.name ?? newType);
  const [changes, setChanges] = useState<Record<string, string>>({});
  const [mode, setMode] = useState<boolean>();
  const [isRemoved, setRemoved] = useState(false);
  const { deploy, build } = useDeploy(onClose);
  const error = source.error ?? schemas.error;
  const settings = source.data?.settings ?? {};
  const target = isNew ? newName : policy;
  const present = settings.policies?.[target];
  const type = isNew ? newType : (present?.type ?? "");
  const schema = schemas.data?.[type];
  const isObserving = mode ?? present?.mode === "observe";
  const after = schema && {
    ...settings,
    ...(isRemoved
      ? without(settings, target)
      : withPolicy(settings, target, {
          ...present,
          type,
          ...changedOptions(schema, isNew ? undefined : present?.options, changes),
          mode: isObserving ? "observe" : undefined,
        })),
  };
  const isOutdated = base !== activeVersion;
  const isTaken = isNew && present !== undefined;
  const options = after?.policies?.[target]?.options;
  const metering = useMeteringBuckets();
  const keyBuckets = useKeyBuckets();
  const bucketId = options?.bucketId ?? metering.data?.[0]?.id;
  const counting = metering.data?.find(({ id, name }) => bucketId === id || bucketId === name);
  const meters = useMetersInUse(counting?.id);
  const choices = {
    bucket: keyBuckets.data?.map(({ name }) => ({ value: name, label: name })) ?? [],
    // A name stays a name, which is the same in all environments.
    bucketId: metering.data?.map(({ id, name }) => ({ value: name ?? id, label: name ?? id })) ?? [],
    meters: [...meters].map(([name, { label }]) => ({ value: `${name}: 1`, label: label || name })),
  };
  const isIncomplete = !isRemoved && schema?.required?.some((option) => options?.[option] === undefined);
  // The dialog opens with its fields, of which the first gets the focus.
  if (!error && (!schemas.data || source.data === undefined)) return null;
  const [beforeText, afterText] = [source.data?.text ?? "", after ? textOf(after) : ""];
  const canDeploy = source.data && after && !isOutdated && !isTaken && !isIncomplete && afterText !== textOf(settings);
  const verb = isRemoved ? "Remove" : isNew ? "Add" : "Change";
  return (
    <FormDialog
      title={isNew ? `Add policy: ${additions[newType]?.label.split(":")[0] ?? newType}` : `Change ${policy}`}
      isWide
      mutation={deploy}
      submit={isRemoved ? `Deploy without ${target}` : "Deploy change"}
      kind={isRemoved ? "danger-fill" : "primary"}
      disabled={!canDeploy}
      hasOwnError
      onClose={onClose}
      onSubmit={() => {
        const archive = source.data!.pack(after!);
        const note = `${verb} ${target}`;
        deploy.mutate(
          { archive, project, branch, note, basedOn: base },
          { onError: () => queries.invalidateQueries({ queryKey: ["deployment", name] }) },
        );
      }}
      footStart={
        <CopyAs
          call={(api) => api.deploy(new Uint8Array(), { project, branch, basedOn: base })}
          uploads="project.tar.gz"
          command={command("deploy", ".", "--project", project, "--branch", branch)}
        />
      }
    >
      {error && <LoadError error={error} />}
      {source.data === null && <Notice>This project has modules. Change it with the CLI, and deploy it.</Notice>}
      {isOutdated && (
        <DeployedMeanwhile deployment={deployment} base={base} onContinue={() => setBase(activeVersion)} />
      )}
      {source.data && schemas.data && !schema && (
        <Notice kind="warning">
          Version {base} has no policy {policy} with options that can be changed here.
        </Notice>
      )}
      {!isOutdated && <DeployError error={deploy.error} hint="The previous version keeps serving." />}
      {schema && (
        <>
          {isRemoved ? (
            <Notice kind="warning">
              Requests no longer pass {target}. Routes without another policy that asks for a credential are open to all
              callers.
            </Notice>
          ) : (
            <>
              <OptionFields
                schema={schema}
                choices={choices}
                values={{ ...(isNew ? {} : textsOf(present?.options)), ...changes }}
                onChange={(option, text) => setChanges({ ...changes, [option]: text })}
              />
              {observable.includes(type) && (
                <Checkbox
                  label="Only observe"
                  hint="Requests that it would reject go on, and are recorded."
                  checked={isObserving}
                  onChange={(event) => setMode(event.target.checked)}
                />
              )}
            </>
          )}
          {isNew && (
            <TextField
              label="Name"
              isMono
              {...bindInput(newName, setNewName, isTaken ? "is the name of another policy" : undefined)}
            />
          )}
          <Diff label="tollgate.json" before={beforeText} after={afterText} />
          {!isNew && !isRemoved && (
            <div>
              <Button kind="danger" isSmall onClick={() => setRemoved(true)}>
                Remove {policy}
              </Button>
            </div>
          )}
        </>
      )}
      <BuildView {...build} />
    </FormDialog>
  );
}

interface DeployedMeanwhileProps {
  deployment: Deployment;
  base: number | undefined;
  onContinue: () => void;
}

/** What another user deployed while the dialog was open. */
function DeployedMeanwhile({ deployment: { name, activeVersion }, base, onContinue }: DeployedMeanwhileProps) {
  const versions = useVersions(name);
  const before = useContents(name, base);
  const now = useContents(name, activeVersion);
  const project = useSimpleProject(name, activeVersion);
  const live = versions.data?.find(({ number }) => number === activeVersion);
  return (
    <div className="stack stack-tight">
      <Notice kind="warning">
        Version {activeVersion} became live while you were editing
        {live && (
          <>
            {" "}
            (built <RelativeTime time={live.createdOn} /> by {live.author.name ?? live.author.type}
            {live.note && `: ${live.note}`})
          </>
        )}
        . Yours is based on version {base} and was not deployed.
      </Notice>
      {before.data && now.data && <ChangesInWords changes={changesBetween(before.data.contents, now.data.contents)} />}
      <div>
        <Button isSmall disabled={project.data === undefined} onClick={onContinue}>
          Make my change to version {activeVersion}
        </Button>
      </div>
    </div>
  );
}

const textsOf = (options: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, optionText(value)]));

/** The present options with those that were edited: others are as in the version that is live now. */
function changedOptions(
  schema: OptionSchema,
  present: Record<string, unknown> | undefined,
  changes: Record<string, string>,
): Pick<PolicySettings, "options"> {
  const changed = Object.entries(changes).map(([name, text]) => [name, optionOf(schema.properties![name]!, text)]);
  return present || changed.length > 0 ? { options: { ...present, ...Object.fromEntries(changed) } } : {};
}

function withPolicy(settings: ProjectSettings, name: string, policy: PolicySettings): ProjectSettings {
  const { policies = {}, defaultPolicies = [] } = settings;
  const chained = { policies: { ...policies, [name]: policy } };
  if (name in policies) return chained;
  const rank = (type = "") => (order.includes(type) ? order.indexOf(type) : order.indexOf("api-key") + 0.5);
  const at = defaultPolicies.findIndex((each) => rank(policies[each]?.type) > rank(policy.type));
  const place = at < 0 ? defaultPolicies.length : at;
  return { ...chained, defaultPolicies: defaultPolicies.toSpliced(place, 0, name) };
}

function without({ policies = {}, defaultPolicies = [] }: ProjectSettings, name: string): ProjectSettings {
  const { [name]: _, ...others } = policies;
  return { policies: others, defaultPolicies: defaultPolicies.filter((each) => each !== name) };
}

/** The options of each policy, from the schema of `tollgate.json` that editors use too. */
const usePolicyOptions = () =>
  useQuery({
    queryKey: ["policy-options"],
    queryFn: async ({ signal }): Promise<Record<string, OptionSchema>> => {
      const { properties } = await (await fetch("/schemas/project.json", { signal })).json();
      const types: { if: OptionSchema; then: OptionSchema }[] = properties.policies.additionalProperties.allOf;
      return Object.fromEntries(
        types.map((each) => [each.if.properties!.type!.const!, each.then.properties!.options!]),
      );
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** How to continue in files: the project of the live version, and the command that deploys it again. */
export function ContinueWithCli({ deployment, onClose }: { deployment: Deployment; onClose: () => void }) {
  const { name, projectName: project, branchName: branch, activeVersion } = deployment;
  const save = useCall({
    call: (api) => api.deployments.source(name, activeVersion!),
    onSuccess: (archive) => download(archive, `${project}.tar.gz`),
  });
  return (
    <Dialog
      title="Continue with the CLI"
      isWide
      onClose={onClose}
      foot={
        <Button icon={Download} kind="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
          Download source
        </Button>
      }
    >
      {save.error && <ErrorNotice error={save.error} />}
      <p>
        The project of version {activeVersion} as it was uploaded, with the names of secrets instead of their values:
      </p>
      <Code
        text={[
          command("deployments", "source", name),
          `mkdir ${project}`,
          `tar -xzf ${project}.tar.gz -C ${project}`,
        ].join("\n")}
      />
      <p>Change its files, and deploy it to the same address:</p>
      <Code text={command("deploy", project, "--project", project, "--branch", branch)} />
      <p className="muted">Nothing is locked: as long as it has no modules, it can be changed here too.</p>
    </Dialog>
  );
}
