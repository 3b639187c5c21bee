import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Ellipsis, History, RotateCw, Terminal, Trash2, Upload } from "lucide-react";
import { useState } from "react";
import type { Deployment } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Menu } from "../../components/menu.tsx";
import { LoadError, SkeletonPage } from "../../components/notice.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { useRead, useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { AsCommand, ConfirmCall } from "../shell/requests.tsx";
import { DeploymentAgents } from "./deployments/agents.tsx";
import { DeployDialog, Redeploy } from "./deployments/deploy-dialog.tsx";
import { DeploymentLog } from "./deployments/log.tsx";
import { DeploymentFacts, DeploymentOverview } from "./deployments/overview.tsx";
import { ContinueWithCli, PolicyDialog, useEditPolicy } from "./deployments/policies.tsx";
import { useDropOnPage } from "./deployments/project-drop.tsx";
import type { ProjectSource } from "./deployments/project-source.ts";
import { RollBack } from "./deployments/roll-back.tsx";
import { DeploymentRoutes } from "./deployments/routes.tsx";
import { DeploymentState, Environment } from "./deployments/state.tsx";
import { DeploymentTraffic } from "./deployments/traffic.tsx";
import { DeploymentUpstreams } from "./deployments/upstreams.tsx";
import { ProjectVariables } from "./deployments/variables.tsx";
import { DeploymentVersions } from "./deployments/versions.tsx";
import { RequestList } from "./requests/list.tsx";

const route = getRouteApi("/frame/deployments/$name");

export function DeploymentPage() {
  const { canEdit, deniedEdit } = useSession();
  const { name } = route.useParams();
  const { tab = "overview", policy } = route.useSearch();
  const editPolicy = useEditPolicy();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [open, setOpen] = useState<
    "redeploy" | "delete" | "cli" | { deploy: ProjectSource | undefined } | { rollBackTo: number | undefined }
  >();
  useDropOnPage(canEdit && !open ? (source) => setOpen({ deploy: source }) : undefined);
  const deployment = useRead(["deployment", name], (api, { signal }) => api.deployments.get(name, { signal }), {
    refetchInterval: 10_000,
  });
  if (deployment.error)
    return (
      <LoadError
        error={deployment.error}
        back={
          <Link className="button" to="/deployments">
            Show deployments
          </Link>
        }
      />
    );
  if (!deployment.data) return <SkeletonPage />;
  const { projectName, branchName, url, updatedOn } = deployment.data;
  const close = () => setOpen(undefined);
  return (
    <>
      <PageHead
        title={
          <span className="row row-wrap">
            {projectName}
            <DeploymentState deployment={deployment.data} />
          </span>
        }
        actions={
          <>
            <AsCommand call={(api) => api.deployments.get(name)} />
            <Button icon={History} denied={deniedEdit} onClick={() => setOpen({ rollBackTo: undefined })}>
              Roll back…
            </Button>
            <Button icon={Upload} kind="primary" denied={deniedEdit} onClick={() => setOpen({ deploy: undefined })}>
              Deploy…
            </Button>
            <Menu
              trigger={<Button icon={Ellipsis} isIcon aria-label="More actions" />}
              actions={[
                {
                  label: "Continue with the CLI…",
                  icon: Terminal,
                  denied: deniedEdit,
                  isHidden: deployment.data.activeVersion === undefined,
                  onSelect: () => setOpen("cli"),
                },
                { label: "Build again", icon: RotateCw, denied: deniedEdit, onSelect: () => setOpen("redeploy") },
                {
                  label: "Delete",
                  icon: Trash2,
                  isDanger: true,
                  denied: deniedEdit,
                  onSelect: () => setOpen("delete"),
                },
              ]}
            />
          </>
        }
      >
        <p className="row row-wrap">
          <a href={url} target="_blank" rel="noreferrer" className="wrap-anywhere">
            {url}
          </a>
          <CopyButton text={url} label="Copy address" />
          <Environment deployment={deployment.data} />
          <span>
            branch <code>{branchName}</code>, changed <RelativeTime time={updatedOn} />
          </span>
        </p>
      </PageHead>
      <Tabs
        value={formerTabs[tab] ?? tab}
        onChange={(next) => navigate({ to: ".", search: { tab: next } })}
        tabs={[
          { value: "overview", label: "Overview", content: () => <DeploymentOverview deployment={deployment.data} /> },
          { value: "routes", label: "Routes", content: () => <DeploymentRoutes name={name} /> },
          { value: "requests", label: "Requests", content: () => <DeploymentRequests name={name} /> },
          { value: "logs", label: "Logs", content: () => <DeploymentLog name={name} /> },
          {
            value: "versions",
            label: "Versions",
            content: () => (
              <div className="stack">
                <DeploymentTraffic name={name} />
                <DeploymentVersions name={name} onRollBack={(version) => setOpen({ rollBackTo: version })} />
              </div>
            ),
          },
          { value: "settings", label: "Settings", content: () => <DeploymentSettings deployment={deployment.data} /> },
        ]}
      />
      {typeof open === "object" && "deploy" in open && (
        <DeployDialog
          source={open.deploy}
          project={projectName}
          branch={branchName}
          onClose={close}
          onDeployed={(deployed) => {
            close();
            navigate({ to: "/deployments/$name", params: { name: deployed } });
          }}
        />
      )}
      {policy !== undefined && canEdit && (
        <PolicyDialog key={policy} deployment={deployment.data} policy={policy} onClose={() => editPolicy(undefined)} />
      )}
      {open === "cli" && <ContinueWithCli deployment={deployment.data} onClose={close} />}
      {open === "redeploy" && <Redeploy deployment={deployment.data} onClose={close} />}
      {typeof open === "object" && "rollBackTo" in open && (
        <RollBack name={name} version={open.rollBackTo} onClose={close} />
      )}
      {open === "delete" && (
        <ConfirmCall
          action={`Delete ${name}`}
          typed={name}
          call={(api) => api.deployments.delete(name)}
          onClose={close}
          done={`${name} deleted`}
          onDone={() => {
            queries.removeQueries({ queryKey: ["deployment", name] });
            navigate({ to: "/deployments" });
          }}
        >
          <p>
            Its address returns 404 immediately, for all clients. Versions, sources and logs are deleted with it. This
            cannot be undone.
          </p>
        </ConfirmCall>
      )}
    </>
  );
}

/** Tabs of former links, and those that have their content now. */
const formerTabs: Record<string, string> = {
  traffic: "versions",
  agents: "settings",
  upstreams: "settings",
  variables: "settings",
  details: "settings",
};

function DeploymentSettings({ deployment }: { deployment: Deployment }) {
  const { name, url, projectName } = deployment;
  return (
    <div className="stack stack-loose">
      <section className="stack">
        <h2>Variables</h2>
        <ProjectVariables project={projectName} />
      </section>
      <section className="stack">
        <h2>Upstreams</h2>
        <DeploymentUpstreams name={name} />
      </section>
      {deployment.activeVersion !== undefined && <DeploymentAgents name={name} url={url} />}
      <section className="stack">
        <h2>Details</h2>
        <DeploymentFacts deployment={deployment} />
      </section>
    </div>
  );
}

function DeploymentRequests({ name }: { name: string }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  return (
    <RequestList
      deployment={name}
      search={search}
      onSearch={(changes) => navigate({ to: ".", search: (old: object) => ({ ...old, ...changes, tab: "requests" }) })}
    />
  );
}
