import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Rocket, Upload, Waypoints } from "lucide-react";
import { useState } from "react";
import type { Deployment } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { Figure } from "../../components/number.tsx";
import { type Column, List } from "../../components/table.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { formatPercent } from "../../lib/format.ts";
import { usePaged } from "../queries/paged.ts";
import { useRead, useSession } from "../queries/session.tsx";
import { FilterBar } from "../shell/filter-bar.tsx";
import { PageHead } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { DeployDialog } from "./deployments/deploy-dialog.tsx";
import { useDropOnPage } from "./deployments/project-drop.tsx";
import type { ProjectSource } from "./deployments/project-source.ts";
import { ProxyDialog } from "./deployments/proxy-dialog.tsx";
import { DeploymentState, Environment } from "./deployments/state.tsx";
import { errorShare } from "./home/tiles.tsx";

const route = getRouteApi("/frame/deployments");

export function DeploymentsPage() {
  const { canEdit, deniedEdit, isLimited } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/deployments" });
  const filter = { project: search.project, branch: search.branch };
  const deployments = usePaged(
    ["deployments", filter],
    (api, paging) => api.deployments.listAll({ ...filter, ...paging }).page(),
    { refetchInterval: 10_000 },
  );
  const traffic = useRead(
    ["analytics", "deployments"],
    async (api, { signal }) => {
      const { series } = await api.analytics.get({ by: "deployment", limit: 100, step: "1h", signal });
      return new Map(series.map(({ key, totals }) => [key, totals]));
    },
    {
      refetchInterval: 30_000,
      // A role that is limited to projects has no analytics of the whole account.
      enabled: !isLimited,
    },
  );
  const columns: Column<Deployment>[] = [
    {
      label: "Project",
      render: ({ name, projectName }) => (
        <Link className="row-link" to="/deployments/$name" params={{ name }}>
          {projectName}
        </Link>
      ),
    },
    { label: "Branch", render: ({ branchName }) => <span className="mono">{branchName}</span> },
    {
      label: "Environment",
      isMinor: true,
      render: (deployment) => <Environment deployment={deployment} />,
    },
    { label: "State", isLead: true, render: (deployment) => <DeploymentState deployment={deployment} /> },
    {
      label: "Version",
      render: ({ activeVersion }) =>
        activeVersion === undefined ? (
          <span className="muted">None</span>
        ) : (
          <span className="mono">v{activeVersion}</span>
        ),
    },
    {
      label: "Requests, 24 h",
      isNumber: true,
      render: ({ name }) => traffic.data && <Figure value={traffic.data.get(name)?.requests ?? 0} />,
    },
    {
      label: "Errors",
      isNumber: true,
      isMinor: true,
      render: ({ name }) => {
        const totals = traffic.data?.get(name);
        return totals && totals.requests > 0 ? formatPercent(errorShare(totals)) : null;
      },
    },
    {
      label: "Address",
      isText: true,
      isMinor: true,
      render: ({ url }) => (
        <a href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
      ),
    },
    { label: "Changed", isMinor: true, render: ({ updatedOn }) => <RelativeTime time={updatedOn} /> },
  ];
  const isFiltered = Boolean(search.project || search.branch);
  const set = (changes: Partial<typeof filter>) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...changes }) as typeof old });
  const [dropped, setDropped] = useState<ProjectSource>();
  const deploy = () => navigate({ search: (old) => ({ ...old, new: true }) });
  const proxy = () => navigate({ search: (old) => ({ ...old, proxy: "new" }) });
  const drop = (source: ProjectSource) => {
    setDropped(source);
    deploy();
  };
  useDropOnPage(canEdit && !search.new && search.proxy === undefined ? drop : undefined);
  return (
    <>
      <PageHead
        title="Deployments"
        actions={
          <>
            <AsCommand call={(api) => api.deployments.listAll(filter).page()} />
            <Button icon={Waypoints} denied={deniedEdit} onClick={proxy}>
              Put a gateway in front of a URL…
            </Button>
            <Button icon={Upload} kind="primary" denied={deniedEdit} onClick={deploy}>
              Deploy…
            </Button>
          </>
        }
      >
        <p>Gateway projects. Each branch has its own host name.</p>
      </PageHead>
      {(isFiltered || deployments.data?.total !== 0) && (
        <FilterBar
          filters={[
            {
              label: "Project",
              placeholder: "Project: orders",
              value: search.project,
              known: deployments.data?.data.map(({ projectName }) => projectName),
              onChange: (project) => set({ project }),
            },
            {
              label: "Branch",
              placeholder: "main",
              value: search.branch,
              known: deployments.data?.data.map(({ branchName }) => branchName),
              onChange: (branch) => set({ branch }),
            },
          ]}
        />
      )}
      <List
        caption="Deployments"
        of={deployments}
        {...deployments.paging}
        columns={columns}
        keyOf={({ name }) => name}
        onOpen={({ name }) => navigate({ to: "/deployments/$name", params: { name } })}
        skeletonRows={4}
        empty={
          isFiltered ? (
            <EmptyState
              icon={Rocket}
              title="No deployment matches"
              action={<Button onClick={() => set({ project: undefined, branch: undefined })}>Clear filters</Button>}
            >
              Projects and branches match by their full name.
            </EmptyState>
          ) : (
            <EmptyState
              icon={Rocket}
              title="Nothing is deployed yet"
              guide="gateway-project"
              action={
                <>
                  <Button kind="primary" denied={deniedEdit} onClick={proxy}>
                    Put a gateway in front of a URL
                  </Button>
                  <Button denied={deniedEdit} onClick={deploy}>
                    Deploy a project
                  </Button>
                  <Code text={"tollgate init my-gateway\ntollgate deploy my-gateway"} />
                </>
              }
            >
              A gateway guards an API: it checks keys, limits and quotas, and forwards what it lets pass. Start with the
              URL of your API, or deploy a project: an OpenAPI document with the policies of each route.
            </EmptyState>
          )
        }
      />
      {search.proxy !== undefined && canEdit && (
        <ProxyDialog onClose={() => navigate({ search: ({ proxy: _, ...old }) => old })} />
      )}
      {search.new && canEdit && (
        <DeployDialog
          source={dropped}
          onClose={() => {
            setDropped(undefined);
            navigate({ search: ({ new: _, ...old }) => old });
          }}
          onDeployed={(name) => navigate({ to: "/deployments/$name", params: { name } })}
        />
      )}
    </>
  );
}
